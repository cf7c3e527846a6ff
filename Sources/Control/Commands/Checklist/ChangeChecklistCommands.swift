import API
import ArgumentParser
import Model

struct ResetChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Count events that are sent from now on, and forget the others.",
        discussion: """
            The list is as it was when the run was started; to read its file again, stop the run and start it.

            \(Outcome.help)

            Examples:
              glossctl checklist reset release
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let reply = try await client.document(APIPath.checklistReset(run.name), method: "POST")
        let checklist = try ControlClient.decode(ChecklistReply.self, reply)
        try console.print(ChecklistRenderer(style: text.style(console)).text(checklist))
    }
}

struct StopChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End a run: events that are sent from now on do not count.",
        discussion: """
            It waits until glossd has read what was sent before, at most a minute, and prints what the run has come to. That \
            stays until the run is removed or started again. Events that are read within a day count if they were sent in time.

            \(Outcome.help)

            Examples:
              glossctl checklist stop release
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        _ = try await client.document(APIPath.checklistStop(run.name), method: "POST")
        let limit = Duration.seconds(60)
        let wait = ChecklistWait(client: client, run: run.name, deadline: .now + limit, hasAnswered: true)
        let behind = try await wait.untilRead(on: console, within: limit)
        let (reply, _) = try await wait.untilCounted(on: console)
        try console.answer { try console.print(ChecklistRenderer(style: text.style(console)).text(reply)) }
        if let reason = behind ?? reply.uncounted.map({ reply.reason ?? $0 }) {
            throw ControlError.no("the run is stopped, but has not counted all that was sent: \(reason)")
        }
    }
}

struct RemoveChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a run, with what it has counted.",
        discussion: """
            \(Outcome.help)

            Examples:
              glossctl checklist remove release
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        _ = try await client.document(APIPath.checklist(run.name), method: "DELETE")
    }
}

struct ExportChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the list of a run, as it was when the run was started.",
        discussion: """
            What the run has come to is printed by show, also as JSON, Markdown and JUnit.

            \(Outcome.help)

            Examples:
              glossctl checklist export release > release.yaml
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let reply = try await client.document(ChecklistReply.self, APIPath.checklist(run.name))
        guard let text = reply.text else {
            throw ControlError.no(
                "the list asks for values that are stored as hashes: only those who may read the journal can see it")
        }
        // A file or pipe gets the list itself, which start reads again.
        let shown = console.terminalWidth() == nil ? text : SafeText.neutralised(text, keepingLines: true)
        try console.print(shown.hasSuffix("\n") ? shown : shown + "\n")
    }
}
