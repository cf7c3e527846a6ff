import API
import ArgumentParser
import Model

struct GapsCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaps", _superCommandName: Glossctl.name,
        abstract: "List the places where entries are missing.",
        discussion: """
            Causes:
              deleted       a journal file was deleted before it was read to its end
              damaged       a part of a journal file could not be read
              missing       no file has these sequence numbers: files may have been deleted before they were
                            read. If a file with the entries appears later, the gap is removed
              rate limited  journald did not store messages, or missed those of the kernel
              dropped       the store was full, and Gloss removed events that a sink had not delivered

            MISSING is the number of missing entries, with `at most` if there may be fewer or none, and ? if it is not \
            known. AFTER is the id of the event before the gap.

            \(Outcome.help) No gaps are an answer: 0.

            Examples:
              glossctl gaps
              glossctl gaps -o ndjson | jq -r 'select(.certainty == "exact") | .message'
            """)

    @Option(name: .letter("o"), help: "text, json (one array) or ndjson (one line each).")
    var output = ListFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        var gaps: [GapLine] = []
        var query: GapQuery? = GapQuery()
        while let page = query {
            let list = try await client.document(GapList.self, APIPath.gaps(page))
            gaps += list.gaps
            // Prevents an endless loop.
            query = list.next == page.after ? nil : list.next.map { GapQuery(after: $0) }
        }
        switch output {
        case .text: try console.print(gaps.isEmpty ? "No gaps.\n" : Self.table(gaps, text.style(console)))
        case .json: try console.print(array: try gaps.map(Self.json))
        case .ndjson: for gap in gaps { try console.print(document: try Self.json(gap)) }
        }
    }

    private static func json(_ gap: GapLine) throws -> [UInt8] { Array(try APICoding.encode(gap)) }

    private static func table(_ gaps: [GapLine], _ style: Style) -> String {
        var table = TextTable(["TIME", "CAUSE", "MISSING", "AFTER", "WHAT"], numeric: [2, 3], prose: 4)
        for gap in gaps {
            table.append([
                .init(CivilTime.text(gap.time.microseconds, style.zone, decimals: 0), .faint),
                .init(GapText.cause(gap.cause), .warning),
                .init(GapText.count(gap) ?? "?"),
                .init(String(gap.after)),
                .init(GapText.what(gap)),
            ])
        }
        return table.rendered(style)
    }
}
