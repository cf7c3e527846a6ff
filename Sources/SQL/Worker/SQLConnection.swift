import GRDBSQLite
import Glibc
import Model

/// What is wrong with a statement, or with running it.
struct SQLFailure: Error, CustomStringConvertible {
    var description: String
    /// Whether the statement itself is wrong.
    var isMistake = true
}

/// A database in memory that has nothing but virtual tables, and in which statements can only read them.
///
/// What keeps statements from doing anything else, each for itself: the authorizer refuses it; SQLite says whether a statement
/// only reads; the connection can open no other file and load no code; and what it can reach is in memory.
/// - Source: https://www.sqlite.org/security.html
final class SQLConnection {
    private let connection: OpaquePointer
    /// What failed while a table was read.
    private var failure: (any Error)?
    /// What the authorizer refused.
    private var refused: String?

    /// - Parameters:
    ///   - heapBytes: the most memory that SQLite may take in this process.
    ///   - temporaryBytes: the most bytes of all its temporary files in this process.
    init(heapBytes: Int64, temporaryBytes: Int64 = .max) throws {
        sqlite3_hard_heap_limit64(heapBytes)
        TemporaryFiles.limit(temporaryBytes)
        var connection: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
        guard let files = TemporaryFiles.name,
            sqlite3_open_v2(":memory:", &connection, flags, files) == SQLITE_OK, let connection
        else {
            throw SQLFailure(description: "SQLite cannot be opened", isMistake: false)
        }
        self.connection = connection
        // A column that does not exist is an error, not a text.
        _disableDoubleQuotedStringLiterals(connection)
        for (limit, value) in Self.limits { sqlite3_limit(connection, limit, value) }
        sqlite3_exec(connection, "PRAGMA trusted_schema = OFF", nil, nil, nil)
        for collation in SQLCollation.allCases { collation.register(on: connection) }
    }

    deinit { sqlite3_close_v2(connection) }

    private static let limits: [(Int32, Int32)] = [
        (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (SQLITE_LIMIT_COLUMN, 2000), (SQLITE_LIMIT_EXPR_DEPTH, 500), (SQLITE_LIMIT_COMPOUND_SELECT, 100),
        (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
        (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_FUNCTION_ARG, 100),
    ]

    func add(_ table: OpenTable) throws {
        VirtualTable.register(table, on: connection, of: self)
        try connect(table.table.name)
    }

    /// Makes SQLite declare a table, as it does when a statement first names it. To SQLite, that is a statement that creates
    /// one, which is not allowed later.
    private func connect(_ table: String) throws {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, "SELECT 1 FROM \(SQLText.quoted(table))", -1, &prepared, nil)
        sqlite3_finalize(prepared)
        guard code == SQLITE_OK else { throw error(code, in: "", from: "") }
    }

    /// Makes statements fail once nothing can read from a pipe any more, as when glossd was killed. SQLite asks now and then.
    /// - Parameter pipe: the end that is written to.
    /// - Source: poll(2): POLLERR is set for the write end of a pipe whose read end was closed
    func end(with pipe: Int32) {
        sqlite3_progress_handler(
            connection, 100_000,
            { pipe in
                var pipe = pollfd(fd: Int32(Int(bitPattern: pipe)), events: 0, revents: 0)
                return poll(&pipe, 1, 0) > 0 ? 1 : 0
            }, UnsafeMutableRawPointer(bitPattern: Int(pipe)))
    }

    /// Keeps an error of reading, which says more than what SQLite passes on.
    func note(_ error: any Error) { failure = failure ?? error }

    // MARK: what is allowed

    /// Lets statements read, and nothing else.
    func restrict() throws {
        for table in Self.tableFunctions { try connect(table) }
        sqlite3_set_authorizer(
            connection,
            { context, action, first, second, _, _ in
                let names = (first.map { String(cString: $0) }, second.map { String(cString: $0) })
                guard let refusal = SQLConnection.refusal(action, names.0, names.1) else { return SQLITE_OK }
                guard let context else { return SQLITE_DENY }
                let owner = Unmanaged<SQLConnection>.fromOpaque(context).takeUnretainedValue()
                owner.refused = refusal
                return SQLITE_DENY
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Returns why an action is not allowed; `nil` if it is.
    private static func refusal(_ action: Int32, _ first: String?, _ second: String?) -> String? {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: nil
        case SQLITE_FUNCTION:
            forbiddenFunctions.contains(second?.lowercased() ?? "") ? "the function \(second ?? "")" : nil
        case SQLITE_PRAGMA: allowedPragmas.contains(first?.lowercased() ?? "") ? nil : "PRAGMA \(first ?? "")"
        case SQLITE_ATTACH: "ATTACH and VACUUM"
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: "transactions"
        default: "anything but SELECT"
        }
    }

    /// Statements may use them as tables.
    static let tableFunctions = ["json_each", "json_tree", "pragma_table_info", "pragma_table_xinfo"]
    /// They describe a table or functions.
    private static let allowedPragmas: Set<String> = ["table_info", "table_xinfo", "function_list"]
    private static let forbiddenFunctions: Set<String> = [
        "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "zipfile",
    ]

    // MARK: statements

    /// Runs statements, one after the other.
    /// - Parameters:
    ///   - limit: the most rows of each; `nil` for any number.
    ///   - columns: gets the names of a statement's columns, before its first row.
    ///   - row: gets each row, as a prepared statement.
    /// - Returns: how many rows there were, and whether a statement has more.
    func run(
        _ text: String, limit: Int?, columns: ([String]) throws -> Void, row: (OpaquePointer) throws -> Void
    ) throws -> (rows: Int, isCut: Bool) {
        guard !text.utf8.contains(0) else { throw SQLFailure(description: "the statement has a NUL in it") }
        var (rest, rows, isCut, isFirst) = (Substring(text), 0, false, true)
        while let (prepared, next) = try prepare(rest, of: text) {
            defer { sqlite3_finalize(prepared) }
            try check(prepared)
            let names = (0..<sqlite3_column_count(prepared)).map { column in
                sqlite3_column_name(prepared, column).map { String(cString: $0) } ?? ""
            }
            // What is wrong with the statement is known now; what happens later can only end the answer.
            try columns(names)
            var (count, code) = (0, sqlite3_step(prepared))
            while code == SQLITE_ROW, count < limit ?? .max {
                count += 1
                try row(prepared)
                code = sqlite3_step(prepared)
            }
            guard code == SQLITE_DONE || code == SQLITE_ROW else { throw error(code, in: text, from: rest) }
            (rows, isCut, isFirst) = (rows + count, isCut || code == SQLITE_ROW, false)
            rest = next
        }
        guard !isFirst else { throw SQLFailure(description: "there is no statement") }
        return (rows, isCut)
    }

    /// Prepares the first statement of a text.
    /// - Returns: it, and the text behind it; `nil` if there is none.
    private func prepare(
        _ text: Substring, of whole: String
    ) throws -> (statement: OpaquePointer, rest: Substring)? {
        var rest = text
        while true {
            var (prepared, length) = (OpaquePointer?.none, 0)
            let code = String(rest).withCString { start in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v2(connection, start, -1, &prepared, &tail)
                length = tail.map { $0 - start } ?? 0
                return code
            }
            guard code == SQLITE_OK else { throw error(code, in: whole, from: rest) }
            let behind = Substring(rest.utf8.dropFirst(length))
            if let prepared { return (prepared, behind) }
            // White space, comments, or a semicolon without a statement.
            guard length > 0, !behind.isEmpty else { return nil }
            rest = behind
        }
    }

    private func check(_ prepared: OpaquePointer) throws {
        guard sqlite3_stmt_readonly(prepared) != 0, sqlite3_column_count(prepared) > 0 else {
            throw SQLFailure(description: Self.onlySelect)
        }
        guard sqlite3_bind_parameter_count(prepared) == 0 else {
            throw SQLFailure(description: "the statement has parameters (?), which have no values here")
        }
    }

    /// Returns the line of a statement that an error is about, and below it where that is; empty if it is not known.
    /// - Parameter place: the byte.
    private static func mark(_ place: Int, in statement: String) -> String {
        let bytes = Array(statement.utf8)
        guard place >= 0, place < bytes.count else { return "" }
        let start = bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        guard end - start <= longestLine else { return "" }
        // As terminals show it, or the place would be another one below it.
        let (line, before) = (shown(bytes[start..<end]), shown(bytes[start..<place]))
        return "\n  \(line)\n  \(String(repeating: " ", count: DisplayWidth.columns(before)))^"
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        SafeText.neutralised(String(decoding: bytes, as: UTF8.self), keepingLines: true)
    }

    private static let longestLine = 500
    private static let onlySelect = "only statements that read are allowed: SELECT, WITH, VALUES, EXPLAIN"

    /// - Parameter rest: the part of the text that was prepared.
    private func error(_ code: Int32, in text: String, from rest: Substring) -> any Error {
        if let failure {
            self.failure = nil
            return failure
        }
        switch code & 0xFF {
        case SQLITE_AUTH:
            return SQLFailure(description: refused.map { "\($0): not allowed; \(Self.onlySelect)" } ?? Self.onlySelect)
        case SQLITE_NOMEM:
            return SQLFailure(
                description:
                    "the statement needs more memory than it may have: ask for fewer columns, or add a condition")
        case SQLITE_FULL where TemporaryFiles.isDiskShort:
            return SQLFailure(
                description: "there is no room to sort so many rows: the disk of temporary files is nearly full")
        case SQLITE_FULL, SQLITE_IOERR:
            return SQLFailure(
                description: "there is no room to sort so many rows: ask for fewer columns, or add a condition")
        case SQLITE_TOOBIG: return SQLFailure(description: "a text is too long")
        default:
            let offset = Int(sqlite3_error_offset(connection))
            let place = offset < 0 ? -1 : text.utf8.count - rest.utf8.count + offset
            return SQLFailure(description: String(cString: sqlite3_errmsg(connection)) + Self.mark(place, in: text))
        }
    }
}
