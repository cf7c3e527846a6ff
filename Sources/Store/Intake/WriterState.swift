internal import GRDB
internal import Model

/// The state of the connection that writes. It agrees with the database, or knows less.
struct WriterState: Sendable {
    let limit: SizeLimit
    var appender: EventAppender
    var counters: Counters
    /// The approximate size of the dictionaries' versions.
    var dictionaryBytes: Int64
    /// The approximate size of what watches have counted.
    var watchBytes: Int64
    /// How many notices were given up that were not delivered to all yet, and that nobody was told of.
    var givenUpNotices = 0
    /// Whether a version of a dictionary, or a file of one, may be no longer needed.
    var mayHaveUnusedVersions = true
    /// Whether payloads or batches were replaced or removed, or values in notices and in what watches have counted were
    /// replaced, so that the log may contain their previous bytes. After a crash, it may.
    var hasOldValuesInLog = true
    /// The oldest stored id for which the counters have been searched for names that no event has any more.
    var foldedBefore: Int64 = 0
    /// Whether that search has not finished.
    var isFolding = false
    /// The length of the write-ahead log after it was last to be emptied.
    var logBytesAfterEmptying: Int64 = 0
    /// How long the transactions took that were committed.
    let commits = Histogram()
    /// Whether a transaction failed, so that this state may differ from the database.
    private(set) var isStale = false

    init(_ db: Database, limit: SizeLimit) throws {
        self.limit = limit
        appender = try EventAppender(
            db, lastID: Totals.checkedLastEventID(db), limit: (limit.blockEvents, limit.blockPayloadBytes))
        counters = try Counters(db, limit: limit)
        dictionaryBytes = try VersionTable.bytes(db)
        watchBytes = try WatchTable.bytes(db)
    }

    /// The id of the last event; 0 before the first.
    var lastEventID: Int64 { appender.nextID - 1 }

    /// Runs one transaction. If it fails, the database does not change, but this state may have: call `refresh` before it
    /// is used again.
    mutating func transaction(_ db: Database, _ body: (inout WriterState) throws -> Void) throws {
        let begin = ContinuousClock.now
        do {
            try db.inTransaction(.immediate) {
                try body(&self)
                return .commit
            }
            commits.record(ContinuousClock.now - begin)
        } catch {
            isStale = true
            throw error
        }
    }

    /// Reloads the state from the database after a transaction failed.
    mutating func refresh(_ db: Database) throws {
        guard isStale else { return }
        let fresh = try WriterState(db, limit: limit)
        (appender, counters) = (fresh.appender, fresh.counters)
        (dictionaryBytes, watchBytes) = (fresh.dictionaryBytes, fresh.watchBytes)
        isStale = false
    }
}
