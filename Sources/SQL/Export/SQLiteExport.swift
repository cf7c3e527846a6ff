import API
import GRDBSQLite
import Glibc
import Linux
import Model

/// Writes tables into a new file of SQLite, for programs that read such files.
package struct SQLiteExport {
    private let connection: OpaquePointer
    private var insert: OpaquePointer?
    /// The columns of the current table, and of each: whether they are of texts.
    private var columns: [Bool] = []
    private var tables: [ExactString: [Bool]] = [:]

    /// Reads lines and writes the file. It appears when it is complete.
    /// - Parameters:
    ///   - replaces: whether a file that is there is replaced.
    ///   - nextLine: gives the lines; those of stdin.
    /// - Returns: the status of the process; what went wrong is written to stdout.
    package static func run(
        path: String, replaces: Bool, _ nextLine: () -> String? = { readLine(strippingNewline: true) }
    ) -> Int32 {
        // A file that reaches the limit of its size then is an error of SQLite.
        signal(SIGXFSZ, SIG_IGN)
        let partial = "\(path).\(getpid()).partial"
        // Not through a link that somebody has put there.
        let file = open(partial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
        guard file >= 0 else {
            print("\(partial): \(errnoText(errno))")
            return 1
        }
        close(file)
        do {
            try write(to: partial, nextLine)
            if let journal = LeftJournal(of: path) { throw journal }
            let code = moveFile(partial, to: path, replaces: replaces)
            guard code != EEXIST else { throw SQLFailure(description: "it exists already; --force replaces it") }
            guard code == 0 else { throw SQLFailure(description: errnoText(code)) }
            return 0
        } catch {
            unlink(partial)
            print("\(path): \(error)")
            return 1
        }
    }

    private static func write(to path: String, _ nextLine: () -> String?) throws {
        var export = try SQLiteExport(path)
        var isComplete = false
        while let line = nextLine() {
            switch try ExportLine.parse(Array(line.utf8)) {
            case .table(let table): try export.begin(table)
            case .more(let table): try export.insert(into: table)
            case .row(let cells): try export.add(cells)
            case .end: isComplete = true
            }
        }
        guard isComplete else { throw SQLFailure(description: "glossctl ended before all was written") }
        try export.end()
    }

    private init(_ path: String) throws {
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        // SQLite takes a name that begins with file: for a URI.
        let name = path.hasPrefix("/") ? path : "./\(path)"
        let code = sqlite3_open_v2(name, &connection, flags, nil)
        guard code == SQLITE_OK, let connection else {
            defer { sqlite3_close_v2(connection) }
            throw SQLFailure(description: connection.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory")
        }
        self.connection = connection
        // Nobody reads the file before it is complete and synced, and a file that is not is removed.
        try execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -64000; BEGIN")
        let names = Self.columnTable.columns
        try execute("CREATE TABLE \(Self.columnTable.name) (\(names.map { "\($0) TEXT" }.joined(separator: ", ")))")
        tables[ExactString(Self.columnTable.name)] = names.map { _ in true }
    }

    private static let columnTable = (
        name: "gloss_columns", columns: ["table_name", "column_name", "type", "description"]
    )

    // MARK: tables

    private mutating func begin(_ table: TableReply) throws {
        try execute(Self.declaration(table))
        try insert(into: Self.columnTable.name)
        for column in table.columns {
            try add([table.name, column.name, column.type, column.description].map { .text(ExactString($0)) })
        }
        indexes[ExactString(table.name)] = Self.indexes(table)
        tables[ExactString(table.name)] = table.columns.map { $0.type == "TEXT" }
        try insert(into: table.name)
    }

    /// Rows that follow are of this table.
    private mutating func insert(into table: String) throws {
        guard let columns = tables[ExactString(table)] else { throw SQLFailure(description: "\(table) has not begun") }
        sqlite3_finalize(insert)
        insert = nil
        self.columns = columns
        empty = table
        let places = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let code = sqlite3_prepare_v2(
            connection, "INSERT INTO \(SQLText.quoted(table)) VALUES (\(places))", -1, &insert, nil)
        guard code == SQLITE_OK else { throw error }
    }

    /// Made when all rows are there, which is faster, for the tables that have any: SQLite reads all declarations again for each.
    private var indexes: [ExactString: [String]] = [:]
    private var withRows: Set<ExactString> = []
    /// The current table, until it has a row.
    private var empty: String?

    /// The table with the descriptions as comments, which SQLite keeps.
    static func declaration(_ table: TableReply) -> String {
        let key = key(table)
        let lines = table.columns.enumerated().map { place, column in
            let isKey = column.name == key && column.type == "INTEGER"
            let comma = place == table.columns.count - 1 ? "" : ","
            return
                "    \(SQLText.quoted(column.name)) \(column.type)\(isKey ? " PRIMARY KEY" : "")\(comma) \(SQLText.comment(column.description))"
        }
        return
            "CREATE TABLE \(SQLText.quoted(table.name)) ( \(SQLText.comment(table.description))\n\(lines.joined(separator: "\n"))\n)"
    }

    /// The column that is different in every row.
    private static func key(_ table: TableReply) -> String? {
        if table.event != nil { return "gloss_id" }
        return ["events", "gaps"].contains(table.name) ? "id" : nil
    }

    /// The names of indexes have a dot, which no table's name has: both share their names.
    private static func indexes(_ table: TableReply) -> [String] {
        let names =
            table.event != nil ? ["gloss_time"] : table.name == "events" ? ["time"] : key(table) == nil ? ["id"] : []
        return names.filter { name in table.columns.contains { $0.name == name } }.map { name in
            "CREATE INDEX \(SQLText.quoted("\(table.name).\(name)")) ON \(SQLText.quoted(table.name)) (\(SQLText.quoted(name)))"
        }
    }

    // MARK: rows

    private mutating func add(_ cells: [SQLCell]) throws {
        guard let insert, cells.count == columns.count else { throw SQLFailure(description: "a row without its table") }
        if let table = empty {
            withRows.insert(ExactString(table))
            empty = nil
        }
        for (place, cell) in cells.enumerated() {
            let column = Int32(place + 1)
            switch cell {
            case .null: sqlite3_bind_null(insert, column)
            // SQLite would write fewer digits.
            case .number(let digits) where columns[place]: bind(digits, insert, column)
            case .number(let digits):
                if let integer = Int64(digits.text) {
                    sqlite3_bind_int64(insert, column, integer)
                } else {
                    sqlite3_bind_double(insert, column, Double(digits.text) ?? 0)
                }
            case .text(let text): bind(text, insert, column)
            }
        }
        guard sqlite3_step(insert) == SQLITE_DONE else { throw error }
        sqlite3_reset(insert)
    }

    private func bind(_ text: ExactString, _ insert: OpaquePointer, _ column: Int32) {
        var text = text.text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text64(
                    insert, column, $0.baseAddress, sqlite3_uint64($0.count), SQLText.copied, UInt8(SQLITE_UTF8))
            }
        }
    }

    private mutating func end() throws {
        sqlite3_finalize(insert)
        insert = nil
        for table in withRows.sorted() { for index in indexes[table] ?? [] { try execute(index) } }
        try execute("COMMIT")
        sqlite3_close_v2(connection)
    }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw error }
    }

    private var error: SQLFailure { SQLFailure(description: String(cString: sqlite3_errmsg(connection))) }
}
