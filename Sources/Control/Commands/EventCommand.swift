import API
package import ArgumentParser
import JSON

package struct EventCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "event",
        abstract: "Show everything about one event.",
        discussion: """
            The id is the number at the beginning of a line of show and tail. Prints what became of the event, each \
            parameter beside what its definition says, the payload, and the fields of its journal entry as long as \
            the journal has it.

            Examples:
              glossctl event 4711
              glossctl event 4711 -o json | jq .journal.fields
            """)

    @Argument(help: "The event's id.")
    package var id: Int64

    @Flag(name: .long, help: "Show long journal fields in full.")
    package var full = false

    @Option(name: .shortAndLong, help: "text or json.")
    package var output = DocumentFormat.text

    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    package mutating func validate() throws {
        guard id > 0 else { throw ValidationError("An event's id is a number from 1.") }
    }

    func run(on console: Console) async throws {
        let socket = try connection.socketPath(console)
        let client = ControlClient(socket: socket)
        if output == .json, console.terminalWidth() == nil {
            // However large it is.
            var last: UInt8?
            try await client.copy(APIPath.event(id: id)) { piece in
                try console.output.write(Array(piece))
                last = piece.last
            }
            if last != UInt8(ascii: "\n") { try console.print("\n") }
            return
        }
        let reply = try await client.document(APIPath.event(id: id))
        guard output == .text else { return try console.print(document: reply) }
        let detail: EventDetail
        do {
            detail = try EventDetail.parse(reply)
        } catch {
            throw ControlError.otherShape
        }
        var renderer = EventDetailRenderer(style: text.style(console))
        renderer.showsLongFields = full
        try console.print(renderer.text(detail))
    }
}
