internal import Linux
internal import GRDB
package import Model
internal import Synchronization

/// The events, in one SQLite file, with everything that must be consistent with them: the reading progress of
/// journals, gaps, counters, and the position of each sink.
///
/// One connection writes, and each `ReadLane` has another that reads. A write always runs to completion, even if the
/// task that waits for it is cancelled, so that committed changes are never reported as failed. A read ends when its
/// task is cancelled.
package final class EventStore: Sendable {
    package let options: StoreOptions
    /// The feed that is notified after every commit that added events.
    package let feed = EventFeed()
    /// The last event that may have to be removed soon; 0 until room has become scarce. It stays when there is room
    /// again. A sink should not wait with events up to this one.
    package let removalFeed = EventFeed()

    /// A stream with an element each time `packNewest` should be called.
    package var blocksReady: AsyncStream<Void> { blockReady.stream }

    /// How long each transaction took, from its begin to the end of its commit, since the store was opened.
    package let commits: Histogram

    let blockReady = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let database: StoreDatabase
    let limit: SizeLimit
    let columns = ColumnCache()
    let clock: @Sendable () -> UInt64
    /// The state of the connection that writes. It is only used on that connection's queue, so that the lock is
    /// always free.
    private let state: Mutex<WriterState>
    private let lock: Mutex<StoreLock?>
    /// How long the events of each source are kept, and how many.
    let sources = Mutex<[ExactString: SourceRetention]>([:])
    /// Where sinks begin that could not be opened yet, with the settings that say so.
    let sinkStarts = Mutex<[ExactString: (start: StartPoint, position: Int64)]>([:])

    /// Opens or creates the database and takes the lock. `feed` starts at the newest event.
    /// - Throws: `StoreError` with description and hint: locked by another daemon, corrupt, of another layout,
    ///   read-only, …
    package convenience init(_ options: StoreOptions) async throws(StoreError) {
        try await self.init(options, busyTimeout: .seconds(5), turnTime: .milliseconds(20), clock: wallClock)
    }

    /// - Parameters:
    ///   - busyTimeout: how long to wait for a lock of another process.
    ///   - turnTime: the time after which a read ends with what it has.
    ///   - clock: microseconds since 1970, for the age of saved events and for gap records that the store creates.
    init(
        _ options: StoreOptions, busyTimeout: Duration, turnTime: Duration, clock: @escaping @Sendable () -> UInt64
    ) async throws(StoreError) {
        let result: Result<Opened, StoreError> = await WorkQueue("gloss.store").run {
            Result { () throws(StoreError) in
                try EventStore.open(options, busyTimeout: busyTimeout, turnTime: turnTime)
            }
        }
        let opened = try result.get()
        self.options = options
        self.clock = clock
        database = opened.database
        limit = opened.limit
        lock = Mutex(opened.lock)
        commits = opened.state.commits
        state = Mutex(opened.state)
        feed.publish(opened.state.lastEventID)
    }

    private struct Opened: Sendable {
        var database: StoreDatabase
        var lock: StoreLock
        var limit: SizeLimit
        var state: WriterState
    }

    /// Opens the database. Blocks.
    private static func open(
        _ options: StoreOptions, busyTimeout: Duration, turnTime: Duration
    ) throws(StoreError) -> Opened {
        let limit = try SizeLimit(options.maximumBytes)
        let file = try StoreFile(path: options.path)
        try file.checkOwner()
        let lock = try StoreLock(beside: file)
        let database = try StoreDatabase(
            file, limit: limit, busyTimeout: busyTimeout, turnTime: turnTime)
        do {
            let state = try database.writeAndWait { db in try WriterState(db, limit: limit) }
            return Opened(database: database, lock: lock, limit: limit, state: state)
        } catch {
            database.close()
            throw error
        }
    }

    /// Why no other process can read the store while this one has it open; `nil` if one can.
    package var exclusion: StoreError? {
        guard database.hasPrivateIndex else { return nil }
        return StoreError(
            kind: .failed,
            description: """
                the store was opened while the disk was full, and no other program can read it: neither sqlite3 nor \
                glossctl sql and export
                """, hint: "Free some space, and restart glossd.")
    }

    /// Sets what reads journal entries for conditions on them. Without it, such conditions fail.
    package func use(_ journal: any JournalFieldSource) { database.use(journal) }

    /// Sets how long events are kept, and how many.
    /// - Parameter rules: apply from now on. Events of a rule that no longer exists are kept as those without a rule
    ///   of their own.
    package func use(_ rules: [SourceRule]) {
        sources.withLock { sources in
            let texts = rules.map { (ExactString($0.text), $0.retention) }
            sources = Dictionary(texts, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Empties the write-ahead log, closes the file and releases the lock. Later calls throw, except for another
    /// `close`, which does nothing.
    package func close() async {
        await WorkQueue("gloss.store").run { [self] in
            // The call that took the lock out closes the database. Until then nobody else can open the file.
            var held = lock.withLock { lock in
                defer { lock = nil }
                return lock
            }
            if held != nil { database.close() }
            held = nil
        }
    }

    /// Runs `body` on the connection that writes.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Database, inout WriterState) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.write { [self] db in
            guard lock.withLock({ $0 != nil }) else {
                throw StoreError(kind: .failed, description: "the store \(database.file.path) is closed")
            }
            try database.verify()
            return try state.withLock { state in
                try state.refresh(db)
                return try body(db, &state)
            }
        }
    }
}
