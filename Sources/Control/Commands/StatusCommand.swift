import API
package import ArgumentParser
import Model

package struct StatusCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how the daemon is doing.",
        discussion: """
            How far the journal has been read, what became of the events, the dictionaries, the sinks, and the store. \
            Exits with 1 when the daemon is degraded or paused, or a sink is held, and says why.

            Examples:
              glossctl status
              glossctl status -o json | jq .journal.lag_seconds
            """)

    @Option(name: .shortAndLong, help: "text or json.")
    package var output = DocumentFormat.text

    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    func run(on console: Console) async throws {
        let socket = try connection.socketPath(console)
        let reply = try await ControlClient(socket: socket).document(APIPath.status)
        let status = try ControlClient.decode(StatusReply.self, reply)
        switch output {
        case .json: try console.print(document: reply)
        case .text: try console.print(StatusRenderer(style: text.style(console), now: console.now()).text(status))
        }
        let troubles = Self.troubles(status)
        if !troubles.isEmpty { throw ControlError.no(troubles.joined(separator: "\n")) }
    }

    /// Why all is not well; empty when it is.
    static func troubles(_ status: StatusReply) -> [String] {
        var troubles: [String] = []
        switch status.state {
        case .running, .catchingUp: break
        case .paused: troubles.append("glossd is paused: nothing is read until there is room in the store")
        case .degraded:
            let problems = status.problems.map { SafeText.neutralisedLine($0.what) }
            troubles.append("glossd is degraded" + (problems.isEmpty ? "" : ": " + problems.joined(separator: "; ")))
        }
        for sink in status.sinks where sink.state == .held {
            let reason = sink.lastError.map { ": " + SafeText.neutralisedLine($0) } ?? ""
            troubles.append("sink \(SafeText.neutralised(sink.name)) is held\(reason)")
        }
        return troubles
    }
}
