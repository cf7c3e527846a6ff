import API
import ArgumentParser
import Model

struct SQLCommand: PagedCommand, FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql", _superCommandName: Glossctl.name,
        abstract: "Ask for events with a SELECT of SQLite.",
        usage: "glossctl sql [<statement>] [<options>]",
        discussion: """
            The tables are events, violations, warnings, gaps, definitions, and one for each definition, with its \
            parameters as columns: recipe_detail/tap_save_button is recipe_detail_tap_save_button. '.tables' lists them, \
            and '.schema [TABLE]' shows their columns with descriptions. The options leave out events of all tables.

            Statements only read. A statement may take \(Self.seconds) seconds, and 64 MiB of memory for SQLite. Times \
            are in UTC, as texts: 2026-11-21 10:00:00.123456. See docs/sql.md.

            Without a statement, a terminal gets a prompt with history, where a statement ends with a semicolon; \
            otherwise the statement is read from standard input.

            \(Outcome.help)

            Examples:
              glossctl sql 'SELECT event, count(*) FROM events GROUP BY 1 ORDER BY 2 DESC'
              glossctl sql --last 1d 'SELECT rule, count(*) FROM violations GROUP BY 1'
              glossctl sql 'SELECT * FROM search_start LIMIT 1000' -o csv > searches.csv
              glossctl sql '.schema recipe_search_select_result'
              glossctl sql
            """)

    private static let seconds = 60

    @Argument(help: ArgumentHelp("A statement, or one of .tables and .schema.", valueName: "statement"))
    var statement: String?

    @Option(
        name: .letter("n", or: .customLong("lines")),
        help: ArgumentHelp(
            "The number of rows, or all (default: \(Quantity.count(SQLQuery.usualLimit)); all for csv, json and ndjson).",
            valueName: "number"))
    var rows: LineCount?

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Option(name: .letter("o"), help: "text (a table), csv, json (one array of objects), ndjson or markdown.")
    var output = SQLFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    /// The prompt is on the terminal itself.
    var hasEnd: Bool { statement != nil }

    func run(on console: Console) async throws {
        let session = SQLSession(
            client: try connection.client(console), filter: try filters.filter(console),
            limit: limit, format: output, style: text.style(console), console: console)
        if let statement { return try await session.run(statement) }
        guard let editor = console.lineEditor() else {
            let bytes = try console.readAll(atMost: Self.longestInput)
            return try await session.run(String(decoding: bytes, as: UTF8.self))
        }
        try await SQLPrompt(session: session, editor: editor).run()
    }

    /// `nil` for all rows.
    private var limit: Int64? {
        switch rows {
        case .all: nil
        case .last(let number), .first(let number): Int64(number)
        case nil: output.isTable ? SQLQuery.usualLimit : nil
        }
    }

    /// In bytes: far more than a request has room for, so that the answer says how much the statement takes.
    private static let longestInput = 16 << 20
}

enum SQLFormat: String, Choice {
    case text, csv, json, ndjson, markdown

    /// Whether all rows have to be there before the first is printed.
    var isTable: Bool { self == .text || self == .markdown }
}
