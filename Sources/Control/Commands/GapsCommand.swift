import API
import ArgumentParser
import FoundationEssentials
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
        var printer = GapPrinter(
            format: output, style: text.style(console),
            output: output == .text ? console.output : console.machineOutput)
        var query: GapQuery? = GapQuery()
        while let page = query {
            let list = try await client.document(GapList.self, APIPath.gaps(page))
            try printer.print(list.gaps)
            // Prevents an endless loop.
            query = list.next == page.after ? nil : list.next.map { GapQuery(after: $0) }
        }
        try printer.finish()
    }
}

/// Writes pages of gap records.
private struct GapPrinter {
    let format: ListFormat
    let style: Style
    let output: ByteSink
    private var isFirst = true

    init(format: ListFormat, style: Style, output: ByteSink) {
        self.format = format
        self.style = style
        self.output = output
    }

    mutating func print(_ gaps: [GapLine]) throws {
        guard !gaps.isEmpty else { return }
        switch format {
        case .text: try output.write(Array(table(gaps).utf8))
        case .ndjson:
            for gap in gaps { try output.write(try json(gap) + [UInt8(ascii: "\n")]) }
        case .json:
            for gap in gaps {
                try output.write(Array((isFirst ? "[\n" : ",\n").utf8) + json(gap))
                isFirst = false
            }
        }
        isFirst = false
    }

    func finish() throws {
        switch format {
        case .text: if isFirst { try output.write(Array("No gaps.\n".utf8)) }
        case .json: try output.write(Array((isFirst ? "[]\n" : "\n]\n").utf8))
        case .ndjson: break
        }
    }

    private func json(_ gap: GapLine) throws -> [UInt8] { Array(try APICoding.encode(gap)) }

    private func table(_ gaps: [GapLine]) -> String {
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
