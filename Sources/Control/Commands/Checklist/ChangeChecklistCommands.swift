import API
package import ArgumentParser
import Model

package struct ResetChecklistCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Count events that are sent from now on, and forget the others.",
        discussion: """
            The list is as it was when the run was started; to read its file again, stop the run and start it.

            \(Outcome.help)

            Examples:
              glossctl checklist reset release
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    func run(on console: Console) async throws {
        try await connection.change(APIPath.checklistReset(run.name), text, on: console)
    }
}

package struct StopChecklistCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Count no more events in a run.",
        discussion: """
            What it has counted stays, until the run is removed or started again.

            \(Outcome.help)

            Examples:
              glossctl checklist stop release
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    func run(on console: Console) async throws {
        try await connection.change(APIPath.checklistStop(run.name), text, on: console)
    }
}

package struct RemoveChecklistCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a run, with what it has counted.",
        discussion: """
            \(Outcome.help)

            Examples:
              glossctl checklist remove release
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    func run(on console: Console) async throws {
        let client = ControlClient(socket: try connection.socketPath(console))
        _ = try await client.document(APIPath.checklist(run.name), method: "DELETE")
    }
}

package struct ExportChecklistCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the list of a run, as it was when the run was started.",
        discussion: """
            What the run has come to is printed by show, also as JSON, Markdown and JUnit.

            \(Outcome.help)

            Examples:
              glossctl checklist export release > release.yaml
            """)

    @OptionGroup var run: RunArgument
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    func run(on console: Console) async throws {
        let client = ControlClient(socket: try connection.socketPath(console))
        let reply = try await client.document(ChecklistReply.self, APIPath.checklist(run.name))
        guard let text = reply.text else {
            throw ControlError.no(
                "the list asks for values that are stored as hashes: only those who may read the journal can see it")
        }
        let safe = SafeText.neutralised(text, keepingLines: true)
        try console.print(safe.hasSuffix("\n") ? safe : safe + "\n")
    }
}

extension ConnectionOptions {
    /// Changes a run, and prints what it has come to.
    fileprivate func change(_ path: String, _ text: TextOptions, on console: Console) async throws {
        let client = ControlClient(socket: try socketPath(console))
        let reply = try await client.document(path, method: "POST")
        let checklist = try ControlClient.decode(ChecklistReply.self, reply)
        try console.print(ChecklistRenderer(style: text.style(console)).text(checklist))
    }
}
