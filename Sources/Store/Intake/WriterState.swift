internal import GRDB
internal import Model

/// What the connection that writes keeps in memory. It says the same as the database, or less.
struct WriterState: Sendable {
    private let limit: SizeLimit
    var appender: EventAppender
    var counters: Counters
    /// About what the dictionaries' versions take.
    var dictionaryBytes: Int64
    /// Whether a dictionary's version or a file of one may have become superfluous.
    var mayHaveUnusedVersions = true
    /// Whether payloads were replaced or removed, and what they were may still be in the log.
    var hasOldPayloadsInLog = false
    /// Counters of events before this one were looked through for names that are gone.
    var foldedBefore: Int64 = 0
    /// Whether that is not at its end.
    var isFolding = false
    /// How long the write-ahead log still was when it was last to be emptied.
    var logBytesThatStay: Int64 = 0
    /// Whether a transaction failed, so that it may say something else than the database.
    private(set) var isStale = false

    init(_ db: Database, limit: SizeLimit) throws {
        self.limit = limit
        appender = try EventAppender(
            db, lastID: Totals.lastEventID(db), limit: (limit.blockEvents, limit.blockPayloadBytes))
        counters = try Counters(db, limit: limit)
        dictionaryBytes = try VersionTable.bytes(db)
    }

    /// 0 before the first.
    var lastEventID: Int64 { appender.nextID - 1 }

    /// One transaction: all of it or nothing, on disk as in memory.
    mutating func transaction(_ db: Database, _ body: (inout WriterState) throws -> Void) throws {
        do {
            try db.inTransaction(.immediate) {
                try body(&self)
                return .commit
            }
        } catch {
            isStale = true
            throw error
        }
    }

    /// Reads what the database says where a transaction failed.
    mutating func refresh(_ db: Database) throws {
        guard isStale else { return }
        let fresh = try WriterState(db, limit: limit)
        (appender, counters, dictionaryBytes) = (fresh.appender, fresh.counters, fresh.dictionaryBytes)
        isStale = false
    }
}
