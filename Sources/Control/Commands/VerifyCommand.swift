import API
import ArgumentParser
import Model

struct VerifyCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", _superCommandName: Glossctl.name,
        abstract: "Compare the store with the journal, entry by entry.",
        discussion: """
            The daemon reads the files of the journal again, as far as it has read them, and looks up each entry in \
            the store. An entry is unexplained if it is not in the store, a source takes it, it has not expired, and \
            no gap record has it; then the exit status is 1. Meanwhile the daemon continues its work.

            The check uses the current sources. If sources have changed, entries written before the change were read \
            with other sources: give the time of the change with --since. The same applies if store.max_age was \
            raised.

            \(Outcome.help)

            Examples:
              glossctl verify
              glossctl verify --since yesterday
              glossctl verify -o json | jq .unexplained
            """)

    @Option(
        name: .letter("S"), parsing: .unconditional,
        help: ArgumentHelp("Only entries since this time, in the forms of show --since.", valueName: "time"))
    var since: String?

    @Option(name: .letter("o"), help: "text or json.")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let query = try query(console)
        let client = try connection.client(console)
        let (result, line) = try await verification(query, client, ProgressLine(console))
        try console.answer(output, line) { VerificationRenderer(style: text.style(console)).text(result) }
        if let failure = VerificationRenderer.failure(result) { throw ControlError.no(failure) }
    }

    private func query(_ console: Console) throws(ControlError) -> VerifyQuery {
        guard let since else { return VerifyQuery() }
        let times = TimeExpression(now: console.now(), zone: console.zone)
        return VerifyQuery(sinceMicroseconds: try TimeOption.beginning(since, times))
    }

    /// - Returns: the result, and its line as the daemon wrote it.
    /// - Throws: `ControlError.left` if the daemon stops before the result.
    private func verification(
        _ query: VerifyQuery, _ client: ControlClient, _ progress: ProgressLine
    ) async throws -> (JournalVerification, [UInt8]) {
        defer { progress.clear() }
        var found: (JournalVerification, [UInt8])?
        try await client.lines(
            APIPath.verify(query), timeout: ControlClient.documentTimeout, passingOver: { _, _ in }
        ) { lines in
            for line in lines {
                switch try ControlClient.understood({ try VerificationLine.parse(line) }) {
                case .progress(let percent, let sofar): progress.show(VerificationRenderer.progress(percent, sofar))
                case .result(let result): found = (result, line)
                case .error, .other: break
                }
            }
        }
        guard let found else { throw ControlError.left(socket: client.socket) }
        return found
    }
}
