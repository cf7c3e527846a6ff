import API
import ArgumentParser
import Model

struct ShowChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a run has come to.",
        discussion: """
            Without a run, it is the one that goes on. --watch draws it again with each event, until Ctrl-C.

            \(Outcome.help) A run in which something is missing is an answer: 0. wait says it by its exit status.

            Examples:
              glossctl checklist show release
              glossctl checklist show release --watch
              glossctl checklist show release -o markdown | gh pr comment --body-file -
            """)

    @Argument(
        help: ArgumentHelp("The name of the run (default: the one that goes on).", valueName: "run"),
        completion: Completions.checklists)
    var name: String?

    @Flag(name: .long, help: "Draw it again with each event, until Ctrl-C.")
    var watch = false

    @Option(name: .letter("o"), help: ChecklistFormats.help)
    var output = ChecklistFormats.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        if watch, output != .text { throw ValidationError("--watch is for text.") }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let run = if let name { name } else { try await client.onlyChecklist() }
        if watch { return try await watch(run, client, console) }
        let reply = try await client.document(APIPath.checklist(run))
        let checklist = try ControlClient.decode(ChecklistReply.self, reply)
        let needsScope = ![.text, .json].contains(output) && !checklist.isHeld
        let scope = needsScope ? try await scope(of: run, client, console) : nil
        try output.print(
            ChecklistReport(checklist, scope: scope, reasons: []), document: reply, text.style(console), on: console)
    }

    /// Returns what the run has looked at. Without it, the rest of the answer is still right.
    private func scope(of run: String, _ client: ControlClient, _ console: Console) async throws -> ChecklistScope? {
        do {
            return try await client.checklistScope(run).scope
        } catch  where !Task.isCancelled {
            console.complain("what the run has looked at is not known: \(error)")
            return nil
        }
    }

    private func watch(_ run: String, _ client: ControlClient, _ console: Console) async throws {
        var (screen, attempts) = (LiveScreen(console), 0)
        while true {
            do {
                try await client.checklistChanges(run) { reply in
                    attempts = 0
                    try screen.draw(ChecklistRenderer(style: text.style(console)).text(reply))
                    return true
                }
            } catch let error as ControlError {
                try screen.drawAgain(after: error)
            }
            attempts += 1
            let delay = EventStream.backoff.ceiling(afterFailures: attempts)
            try await Task.pause(for: delay)
        }
    }
}

/// The argument that names a run.
struct RunArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of the run.", valueName: "run"), completion: Completions.checklists)
    var name: String
}

extension ControlClient {
    /// Returns the name of the run that goes on, or of the only one if none does.
    fileprivate func onlyChecklist() async throws -> String {
        let all = try await document(ChecklistList.self, APIPath.checklists).checklists
        let runs = all.contains { $0.state != .stopped } ? all.filter { $0.state != .stopped } : all
        guard let first = runs.first else { throw ControlError.noChecklists }
        guard runs.count == 1 else {
            throw ControlError.wrongUsage("name a run: \(runs.map(\.name).joined(separator: ", "))")
        }
        return first.name
    }

    /// Requests what a run has looked at, for which all its events are read.
    /// - Returns: it, and the document as it came.
    func checklistScope(_ run: String) async throws -> (scope: ChecklistScope, document: [UInt8]) {
        let document = try await document(APIPath.checklistScope(run), timeout: Self.scanTimeout)
        return (try Self.decode(ChecklistScope.self, document), document)
    }

    /// Passes on what a run comes to, at first and after each change.
    /// - Parameters:
    ///   - timeout: seconds after which it gives up if the daemon does not answer.
    ///   - body: returns whether to go on.
    /// - Throws: `ControlError.interrupted` if the task is cancelled; `.left` if the daemon stops; `.refused` if the run is
    ///   removed.
    func checklistChanges(
        _ run: String, timeout: Int = documentTimeout, _ body: (ChecklistReply) async throws -> Bool
    ) async throws {
        struct Enough: Error {}
        do {
            try await lines(APIPath.checklistChanges(run), timeout: timeout, passingOver: { _, _ in }) { lines in
                // Only the last one counts.
                for line in lines.suffix(1) {
                    switch try Self.understood({ try ChecklistLine.parse(line) }) {
                    case .checklist(let reply): if try await !body(reply) { throw Enough() }
                    case .error, .other: break
                    }
                }
            }
        } catch is Enough {
            return
        }
        throw ControlError.left(socket: socket)
    }
}
