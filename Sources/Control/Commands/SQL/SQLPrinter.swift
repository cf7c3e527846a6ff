import API
import JSON
import Model

/// Prints the answer to a statement.
struct SQLPrinter {
    let format: SQLFormat
    let style: Style
    let console: Console
    private let csv: CSVText
    private var columns: [String] = []
    /// The rows of a table.
    private var rows: [[SQLCell]] = []
    private var end: (rows: Int64, isCut: Bool) = (0, false)
    /// How many statements have been printed.
    private var printed = 0
    private var json = JSONWriter()
    private var rowsOfCSV: [UInt8] = []
    private var progress: StreamProgress
    /// The rows that were not written yet.
    private var pending = 0
    private static let chunkBytes = 64 << 10

    init(format: SQLFormat, style: Style, console: Console) {
        (self.format, self.style, self.console, csv) = (format, style, console, CSVText(style))
        progress = StreamProgress(console)
    }

    mutating func take(_ line: SQLLine) throws {
        switch line {
        case .columns(let names):
            if !columns.isEmpty { try endStatement() }
            columns = format == .json || format == .ndjson ? Self.members(names) : names
            if format == .csv { rowsOfCSV += (printed > 0 ? "\n" : "").utf8 + csv.line(names) }
            if format == .json { json.beginArray() }
        case .row(let cells):
            switch format {
            case .text, .markdown: rows.append(cells)
            case .csv: rowsOfCSV += csv.line(cells)
            case .json, .ndjson:
                append(cells)
                if format == .ndjson { json.newline() }
            }
            pending += 1
            if rowsOfCSV.count + json.bytes.count > Self.chunkBytes { try flush() }
        case .end(let rows, let isCut): end = (rows, isCut)
        case .error: break
        }
    }

    /// Returns the names of columns as an object has them: each once. The second of several that are the same ends with `_2`.
    private static func members(_ names: [String]) -> [String] {
        let given = Set(names.map { ExactString($0) })
        var used: Set<ExactString> = []
        return names.map { name in
            var (member, number) = (ExactString(name), 1)
            while used.contains(member) || number > 1 && given.contains(member) {
                number += 1
                member = ExactString("\(name)_\(number)")
            }
            used.insert(member)
            return member.text
        }
    }

    private mutating func append(_ cells: [SQLCell]) {
        json.beginObject()
        for (name, cell) in zip(columns, cells) {
            json.key(name)
            switch cell {
            case .null: json.null()
            case .number(let digits): json.raw(Array(digits.utf8))
            case .text(let text): json.string(text.text)
            }
        }
        json.endObject()
    }

    private mutating func flush() throws {
        if !rowsOfCSV.isEmpty { try console.output.write(rowsOfCSV) }
        if !json.bytes.isEmpty { try console.machineOutput.write(json.bytes) }
        progress.note(lines: pending, bytes: rowsOfCSV.count + json.bytes.count)
        pending = 0
        rowsOfCSV.removeAll(keepingCapacity: true)
        json.bytes.removeAll(keepingCapacity: true)
    }

    /// Call it before anything is written to the errors.
    func clearProgress() { progress.clear() }

    /// Prints what is left.
    /// - Returns: what is not printed; `nil` if all is.
    mutating func finish() throws -> String? {
        try endStatement()
        return end.isCut
            ? "there are more than \(Quantity.count(end.rows)) rows: -n all, or -n NUMBER, shows more" : nil
    }

    /// Prints the rest of a statement's rows. What several statements return is separated by empty lines.
    private mutating func endStatement() throws {
        let separator = printed > 0 && format.isTable ? "\n" : ""
        switch format {
        case .text: try console.print(separator + table.rendered(style))
        case .markdown: try console.print(separator + markdown)
        case .csv: break
        case .json:
            json.endArray()
            json.newline()
        case .ndjson: break
        }
        try flush()
        rows = []
        printed += 1
    }

    // MARK: tables

    private var table: TextTable {
        let numeric = columns.indices.filter { column in
            !rows.isEmpty && rows.allSatisfy { if case .text = $0[column] { false } else { true } }
        }
        var table = TextTable(columns.map { SafeText.neutralised($0) }, numeric: Set(numeric))
        for row in rows {
            table.append(
                row.map { cell in
                    cell == .null
                        ? TextTable.Cell("NULL", .faint) : TextTable.Cell(SafeText.neutralised(cell.shown))
                })
        }
        return table
    }

    private var markdown: String {
        MarkdownText.heading(columns.map(MarkdownText.escaped))
            + rows.map { MarkdownText.row($0.map { MarkdownText.escaped($0.shown) }) }.joined()
    }
}
