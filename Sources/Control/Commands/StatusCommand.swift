import API
import ArgumentParser
import Model

struct StatusCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", _superCommandName: Glossctl.name,
        abstract: "Show the state of the daemon.",
        discussion: """
            Shows how far the journal has been read, the numbers of events, the dictionaries, the sinks and the store. \
            The exit status is 1 if the daemon is degraded or paused, or a sink is held; standard error says why. \
            It is 3 if the daemon does not answer within 10 seconds.

            \(Outcome.help)

            Examples:
              glossctl status
              glossctl status --watch
              glossctl status -o json | jq .journal.lag_seconds
            """)

    @Option(name: .letter("o"), help: "text or json.")
    var output = DocumentFormat.text

    @Flag(name: .long, help: "Draw it again every two seconds, until Ctrl-C.")
    var watch = false

    @OptionGroup var interval: IntervalOption
    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    var hasEnd: Bool { !watch }

    mutating func validate() throws {
        if interval.isGiven && !watch { throw ValidationError("--interval is for --watch.") }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        if watch { return try await watch(client, console) }
        let reply = try await client.document(APIPath.status, timeout: ControlClient.statusTimeout)
        let status = try ControlClient.decode(StatusReply.self, reply)
        try console.answer(output, reply) {
            StatusRenderer(style: text.style(console), now: console.now()).text(status)
        }
        let isListed = output == .text && !status.problems.isEmpty
        if let failure = Self.failure(status, isListed: isListed) { throw ControlError.no(failure) }
    }

    private func watch(_ client: ControlClient, _ console: Console) async throws {
        guard output == .text else { throw ControlError.wrongUsage("--watch is for text") }
        try await LiveScreen.run(on: console, every: interval.interval) {
            let status = try await client.status(timeout: ControlClient.statusTimeout)
            return StatusRenderer(style: text.style(console), now: console.now()).text(status)
        }
    }

    /// The reason for exit status 1; `nil` if there is none.
    /// - Parameter isListed: whether the problems have been shown, so that they are only counted here.
    static func failure(_ status: StatusReply, isListed: Bool) -> String? {
        let isDown = status.state == .paused || status.state == .degraded
        let held = status.sinks.filter { $0.state == .held }.map { sink in
            let reason = sink.lastError.map { ": " + SafeText.neutralisedLine($0) } ?? ""
            return "sink \(SafeText.neutralised(sink.name)) is held\(reason)"
        }
        guard isDown || !held.isEmpty else { return nil }
        let state = "glossd is \(status.state.rawValue)"
        if isListed { return "\(state): \(Quantity.count(status.problems.count, "problem"))" }
        let problems = status.problems.isEmpty ? held : status.problems.map { SafeText.neutralisedLine($0.what) }
        return problems.isEmpty ? state : "\(state): \(problems.joined(separator: "; "))"
    }
}
