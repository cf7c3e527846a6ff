import API
import ArgumentParser

struct EventCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "event", _superCommandName: Glossctl.name,
        abstract: "Show everything about events.",
        usage: "glossctl event <id> ... [<options>]",
        discussion: """
            The id is the number at the beginning of each line of show and tail. Shows the resolution, each parameter \
            with its definition, the payload, and the fields of the journal entry as long as the journal has it. If an \
            event does not exist, an error names it, the others are shown, and the exit status is 1.

            \(Outcome.help)

            Examples:
              glossctl event 4711
              glossctl event 4711 4712 4720
              glossctl event 4711 -o json | jq .journal.fields
            """)

    @Argument(help: "The events' ids.")
    var id: [Int64]

    @Flag(name: .long, help: "Show long journal fields in full.")
    var full = false

    @Option(name: .letter("o"), help: "text or json (an object for each event, each on one line).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        guard id.allSatisfy({ $0 > 0 }) else { throw ValidationError("An event's id is a number from 1.") }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let style = text.style(console)
        var missing: [ControlError] = []
        var isFirst = true
        for id in id {
            do {
                try await show(id, isFirst: isFirst, style, client, console)
                isFirst = false
            } catch ControlError.refused(let problem) where problem.status == 404 {
                missing.append(.no("event \(id): there is no event with this id; it may have been removed"))
            } catch {
                for error in missing { console.complain(error.description) }
                throw error
            }
        }
        for error in missing.dropLast() { console.complain(error.description) }
        if let last = missing.last { throw last }
    }

    private func show(
        _ id: Int64, isFirst: Bool, _ style: Style, _ client: ControlClient, _ console: Console
    ) async throws {
        if output == .json, console.terminalWidth() == nil {
            // An event of any size.
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
        let detail = try ControlClient.understood { try EventDetail.parse(reply) }
        var renderer = EventDetailRenderer(style: style)
        renderer.showsLongFields = full
        try console.print((isFirst ? "" : "\n") + renderer.text(detail))
    }
}
