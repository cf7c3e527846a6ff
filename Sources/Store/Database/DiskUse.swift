internal import GRDB
internal import GRDBSQLite

/// The current size of the database, and whether there is room for more.
struct DiskUse: Sendable {
    var pages: Int64
    var freePages: Int64
    var walBytes: Int64
    /// The size of the counters.
    var counterBytes: Int64
    /// The size of the dictionaries' versions.
    var dictionaryBytes: Int64
    /// The size of notices, of what watches have counted, and of the batches of sinks that are no longer in the settings.
    var keptBytes: Int64

    /// A frame of the log: a page and its header.
    private static let frameBytes = SizeLimit.pageBytes + 24
    /// The room in the log that removing events and returning pages needs.
    private static let maintenanceBytes: Int64 = 128 << 10

    /// What is left of the database once the free pages have been returned to the file system.
    var usedBytes: Int64 { (pages - freePages) * SizeLimit.pageBytes }

    /// Returns whether the files stay within the limit after a transaction, even if pages that are free now are used
    /// later.
    func hasRoom(for cost: BatchCost, reserved: Int64, limit: SizeLimit) -> Bool {
        let whole = (pages + max(0, cost.newPages - freePages)) * SizeLimit.pageBytes
        return whole + logBytes(afterWriting: cost) + Self.maintenanceBytes <= limit.bytes
            && hasRoomWithoutFreePages(for: cost, reserved: reserved, limit: limit)
    }

    /// Returns whether there is room once the free pages have been returned to the file system.
    func hasRoomWithoutFreePages(for cost: BatchCost, reserved: Int64, limit: SizeLimit) -> Bool {
        usedBytes + cost.newPages * SizeLimit.pageBytes + logBytes(afterWriting: cost) + reserved <= limit.bytes
    }

    /// Returns whether there is room once all events have been removed.
    func hasRoomWhenEmpty(for cost: BatchCost, reserved: Int64, limit: SizeLimit) -> Bool {
        let pages = 32 + counterPages + (dictionaryBytes + keptBytes + limit.recordBytes) / SizeLimit.pageBytes
        return DiskUse(
            pages: pages, freePages: 0, walBytes: 0, counterBytes: counterBytes, dictionaryBytes: dictionaryBytes,
            keptBytes: keptBytes
        ).hasRoom(for: cost, reserved: reserved, limit: limit)
    }

    /// Pages of a table with insertions at any position are not full.
    private var counterPages: Int64 { counterBytes * 3 / 2 / SizeLimit.pageBytes }

    /// Returns the size of the log after a transaction. Besides the pages that it fills or changes, a transaction
    /// writes their parent pages, the pages with counters, and the list of free pages.
    private func logBytes(afterWriting cost: BatchCost) -> Int64 {
        let counters = min(cost.counters, counterPages + 1)
        let frames = cost.newPages + cost.newPages / 16 + min(cost.changedPages, pages) + counters + 24
        return walBytes + frames * Self.frameBytes
    }
}

extension DiskUse {
    init(_ db: Database, _ file: StoreFile, _ state: WriterState) throws {
        self.init(
            pages: try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA page_count")) ?? 0,
            freePages: try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA freelist_count")) ?? 0,
            walBytes: file.sizes.wal, counterBytes: state.counters.bytes, dictionaryBytes: state.dictionaryBytes,
            keptBytes: try state.watchBytes + NoticeTable.bytes(db) + BatchTable.inactiveBytes(db))
    }
}

extension Database {
    /// Copies the write-ahead log into the database and truncates it. It waits only briefly for a reader of another
    /// process that still uses the log.
    func checkpointAndTruncate() throws {
        let timeout = try Int32.fetchOne(self, sql: "PRAGMA busy_timeout") ?? 0
        sqlite3_busy_timeout(sqliteConnection, min(timeout, 250))
        defer { sqlite3_busy_timeout(sqliteConnection, timeout) }
        do {
            _ = try checkpoint(.truncate)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // The log keeps its length. Callers check its size.
        }
    }

    /// Moves up to `pages` free pages to the end of the file and truncates it.
    func releaseFreePages(_ pages: Int64) throws {
        // Each step of the statement frees one page.
        let vacuum = try BareStatement(self, "PRAGMA incremental_vacuum(\(pages))")
        try vacuum.run()
    }
}
