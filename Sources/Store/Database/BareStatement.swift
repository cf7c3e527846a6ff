internal import GRDB
internal import GRDBSQLite

/// A prepared statement without GRDB's conversions, for statements that run once for each event. Bytes are bound
/// without copying them, and texts keep their length, so that a NUL does not end them.
///
/// A statement is valid within one access to the database, and is finalized when it goes out of scope.
/// - Source: https://www.sqlite.org/c3ref/bind_blob.html
struct BareStatement: ~Copyable {
    private let statement: OpaquePointer
    private let connection: OpaquePointer
    /// The cached GRDB statement that owns the handle; `nil` when this structure owns it.
    private let owner: Statement?

    /// Uses a statement that the connection caches: preparing one takes longer than running most statements, since
    /// GRDB examines every table and column. It must not be used again while its rows are being read.
    init(_ db: Database, reusing sql: String) throws {
        guard let connection = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        let owner = try db.cachedStatement(sql: sql)
        statement = owner.sqliteStatement
        self.owner = owner
        self.connection = connection
        sqlite3_reset(statement)
    }

    /// Prepares a new statement, for SQL that varies.
    init(_ db: Database, _ sql: String) throws {
        guard let connection = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(on: connection) }
        self.statement = statement
        self.connection = connection
        owner = nil
    }

    deinit {
        guard owner != nil else {
            sqlite3_finalize(statement)
            return
        }
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    // MARK: binding (from 1)

    func bind(_ index: Int32, _ value: Int64) throws {
        try check(sqlite3_bind_int64(statement, index, value))
    }

    func bind(_ index: Int32, _ value: Int64?) throws {
        if let value { try bind(index, value) } else { try bindNull(index) }
    }

    /// Binds an unsigned number as a signed one, since SQLite has signed integers only. `bits` converts it back.
    func bind(_ index: Int32, bits value: UInt64) throws {
        try bind(index, Int64(bitPattern: value))
    }

    func bindNull(_ index: Int32) throws {
        try check(sqlite3_bind_null(statement, index))
    }

    /// Binds a copy of the text.
    func bind(_ index: Int32, _ text: String?) throws {
        guard var text else { return try bindNull(index) }
        let code = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text64(
                    statement, index, $0.baseAddress, sqlite3_uint64($0.count), Self.copied, UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    /// Binds the bytes without copying them. They must stay valid until the statement has been stepped.
    func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer, asText: Bool) throws {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return try asText ? bind(index, "") : check(sqlite3_bind_zeroblob(statement, index, 0))
        }
        let count = sqlite3_uint64(bytes.count)
        try check(
            asText
                ? sqlite3_bind_text64(
                    statement, index, base.assumingMemoryBound(to: CChar.self), count, nil, UInt8(SQLITE_UTF8))
                : sqlite3_bind_blob64(statement, index, base, count, nil))
    }

    // MARK: running

    /// - Returns: whether there is a row.
    func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw Self.error(on: connection)
        }
    }

    func run() throws {
        while try step() {}
        reset()
    }

    func reset() { sqlite3_reset(statement) }

    // MARK: columns (from 0), valid until the next step

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: int64(column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// Returns a count as `StoredCount.clamped`.
    func count(_ column: Int32) -> Int64 { StoredCount.clamped(int64(column)) }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    /// Returns the bytes of a blob or a text.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// Whether a column has the checksum of those before it.
    func isChecksum(_ column: Int32) -> Bool {
        var checksum = RowChecksum()
        for place in 0..<column {
            switch sqlite3_column_type(statement, place) {
            case SQLITE_NULL: checksum.add(nil as Int64?)
            case SQLITE_TEXT, SQLITE_BLOB: checksum.add(bytes(place))
            default: checksum.add(int64(place))
            }
        }
        return bits(column) == checksum.value
    }

    // MARK: errors

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Self.error(on: connection) }
    }

    static func error(on connection: OpaquePointer) -> DatabaseError {
        let code = ResultCode(rawValue: sqlite3_extended_errcode(connection))
        // What the disk refuses to read is not passed over as damage.
        if code == .SQLITE_CORRUPT, SystemError.last(on: connection) != 0 {
            return DatabaseError(resultCode: .SQLITE_IOERR_READ)
        }
        return DatabaseError(resultCode: code, message: String(cString: sqlite3_errmsg(connection)))
    }

    /// SQLITE_TRANSIENT: the number -1 in place of a destructor. Swift does not import this macro.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
