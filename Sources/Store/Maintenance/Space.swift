internal import GRDB
internal import GRDBSQLite

/// What the files take, and the ways to take less of it.
enum Space {
    static func use(_ db: Database, _ file: StoreFile, _ state: WriterState) throws -> SpaceUse {
        SpaceUse(
            pages: try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0,
            freePages: try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0,
            walBytes: file.sizes.wal,
            counterBytes: state.counters.bytes, dictionaryBytes: state.dictionaryBytes)
    }

    /// Copies the log into the database and empties it. A reader outside that keeps its place in the log is not waited
    /// for long.
    static func emptyLog(_ db: Database) throws {
        let timeout = try Int32.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
        sqlite3_busy_timeout(db.sqliteConnection, min(timeout, 250))
        defer { sqlite3_busy_timeout(db.sqliteConnection, timeout) }
        do {
            _ = try db.checkpoint(.truncate)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // The log stays as long as it is: whoever asks looks at its size.
        }
    }

    /// Moves up to `pages` free pages to the end of the file and cuts them off.
    static func giveBack(pages: Int64, _ db: Database) throws {
        // Each step of the statement frees one page.
        let vacuum = try BareStatement(db, "PRAGMA incremental_vacuum(\(pages))")
        try vacuum.run()
    }
}
