import API
import Model

/// Runs statements and prints their answers.
struct SQLSession {
    let client: ControlClient
    let filter: EventFilter
    /// The most rows; `nil` for all.
    let limit: Int64?
    let format: SQLFormat
    let style: Style
    let console: Console

    /// - Parameter text: a statement, or one of the commands that begin with a dot.
    func run(_ text: String) async throws {
        guard let first = text.first(where: { !$0.isWhitespace }) else {
            throw ControlError.wrongUsage("there is no statement")
        }
        if first == "." { try await runCommand(text) } else { try await answer(text) }
    }

    private func runCommand(_ text: String) async throws {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
        let words = lines[0].split { $0.isWhitespace || $0 == ";" }.map(String.init)
        let (command, names) = (words.first ?? "", words.dropFirst())
        guard lines.count == 1 else {
            throw ControlError.wrongUsage("\(command): what follows in other lines has to be asked for by itself")
        }
        switch command {
        case ".tables" where names.isEmpty: try await printTables()
        case ".tables": throw ControlError.wrongUsage(".tables: nothing may follow; .schema TABLE shows a table")
        case ".schema": try await printSchema(Array(names))
        default:
            throw ControlError.wrongUsage(
                "\(command): there are .tables and .schema [TABLE], and at the prompt .help and .quit")
        }
    }

    /// The longest path with its query that the daemon reads.
    static let longestPath = 64 << 10

    private func answer(_ statement: String) async throws {
        var query = SQLQuery()
        (query.filter, query.statement, query.limit) = (filter, statement, limit)
        let length = APIPath.sql(query).utf8.count
        guard length <= Self.longestPath else {
            throw ControlError.no(
                "the statement and the filters take \(Quantity.bytes(length)) in a request, which may have "
                    + "\(Quantity.bytes(Self.longestPath)); spaces and signs take three bytes, and characters "
                    + "that are not ASCII six or more")
        }
        var printer = SQLPrinter(format: format, style: style, console: console)
        let omitted: String?
        do {
            defer { printer.clearProgress() }
            try await client.answer(to: query) { _, line in try printer.take(line) }
            omitted = try printer.finish()
        }
        omitted.map(console.complain)
        await noteEmptyFilter()
    }

    /// Says that no event meets the filter, if so. What counts events, or lists definitions, then has a result, too.
    private func noteEmptyFilter() async {
        var query = EventQuery()
        (query.filter, query.limit) = (filter, 1)
        guard !filter.items.isEmpty, (try? await client.hasEvents(APIPath.events(query))) == false else { return }
        console.complain("\(await NothingFound(client: client, filter: filter, zone: style.zone).answer())")
    }

    // MARK: tables

    private func printTables() async throws {
        guard format == .text else {
            return try printRows(
                ["table_name", "description"], try await client.tables().map { [$0.name, $0.description] })
        }
        var table = TextTable(["table", "rows are"], names: [0], prose: 1)
        for entry in try await client.tables() {
            table.append([
                TextTable.Cell(SafeText.neutralised(entry.name), .note),
                TextTable.Cell(SafeText.neutralised(entry.description.onOneLine)),
            ])
        }
        try console.print(table.rendered(style))
    }

    private func printSchema(_ names: [String]) async throws {
        let tables =
            names.isEmpty
            ? try await client.tables()
            : try await client.document(TableList.self, APIPath.tables(TableQuery(names: names))).tables
        guard format == .text else {
            return try printRows(
                ["table_name", "column_name", "type", "description"],
                tables.flatMap { table in table.columns.map { [table.name, $0.name, $0.type, $0.description] } })
        }
        try console.print(tables.map { $0.schema(style) }.joined(separator: "\n"))
    }

    /// Prints rows that are no answer to a statement as one, with the names that a file of `glossctl export` has for them.
    private func printRows(_ columns: [String], _ rows: [[String]]) throws {
        var printer = SQLPrinter(format: format, style: style, console: console)
        try printer.take(.columns(columns))
        for row in rows { try printer.take(.row(row.map { .text(ExactString($0)) })) }
        _ = try printer.finish()
    }
}

extension TableReply {
    /// The table as SQL declares it, with descriptions as comments.
    fileprivate func schema(_ style: Style) -> String {
        let names = columns.map { SafeText.neutralised($0.name) }
        let width = min(40, names.map(DisplayWidth.columns).max() ?? 0)
        var lines = [
            StyledLine("-- \(SafeText.neutralised(description.onOneLine))", .faint),
            StyledLine("CREATE TABLE \(SafeText.neutralised(name)) ("),
        ]
        for (place, column) in columns.enumerated() {
            var line = StyledLine("    ")
            line.append(names[place], columns: width + 1)
            line.append(column.type + (place == columns.count - 1 ? "" : ","), columns: 9)
            let remark = column.hidden == true ? " (not in SELECT *)" : ""
            line.append("-- \(SafeText.neutralised(column.description.onOneLine))\(remark)", .faint)
            lines.append(line)
        }
        return (lines + [StyledLine(");")]).map { $0.rendered(style.uncut) + "\n" }.joined()
    }
}

extension ControlClient {
    /// How many tables are asked for at a time. Each may have a thousand columns, and a document has a limit.
    private static let tablesPerPage = 200

    /// All tables, with their columns.
    func tables() async throws -> [TableReply] {
        var (tables, query) = ([TableReply](), TableQuery(limit: Self.tablesPerPage))
        while true {
            let page = try await document(TableList.self, APIPath.tables(query))
            tables += page.tables
            // Prevents an endless loop if a page refers to itself.
            guard let next = page.next, next != query.after else { return tables }
            query.after = next
        }
    }

    /// The longest line of the answer to a statement, in bytes: the process that writes it has no more memory.
    private static let longestRow = 256 << 20

    /// Passes on the lines of the answer to a statement, as they came and as they were understood.
    /// - Throws: `ControlError` for an answer that is an error, or has no end.
    func answer(to query: SQLQuery, _ body: ([UInt8], SQLLine) throws -> Void) async throws {
        var isComplete = false
        // A line may be cut off by what the next one says.
        var cut: ControlError?
        try await lines(
            APIPath.sql(query), longest: Self.longestRow, timeout: Self.documentTimeout, readsAhead: true,
            passingOver: { _, _ in }
        ) { lines in
            for line in lines {
                let parsed: SQLLine
                do {
                    parsed = try SQLLine.parse(line)
                } catch {
                    if let cut { throw cut }
                    cut = .badReply("\(error)")
                    continue
                }
                if case .error = parsed { return }
                if let cut { throw cut }
                if case .end = parsed { isComplete = true }
                try body(line, parsed)
            }
        }
        if let cut { throw cut }
        guard isComplete else { throw ControlError.left(socket: socket) }
    }
}
