internal import Linux
internal import Dispatch
internal import GRDB
internal import Glibc
package import Model
internal import Synchronization

/// The events, in one SQLite file, with all that must agree with them: how far journals were read, gaps, counters, and
/// how far each sink has got.
///
/// One connection writes, and each `ReadLane` has another that reads. What is written is written to its end, also when the
/// task that waits for it is cancelled: what was committed is never reported as failed. What is read ends with its task.
package final class EventStore: Sendable {
    package let options: StoreOptions
    /// Published after every commit that added events.
    package let feed = EventFeed()

    /// Tells when `packNewest` is to be called.
    package var blocksReady: AsyncStream<Void> { blockReady.stream }

    let blockReady = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let database: StoreDatabase
    let limit: SizeLimit
    let columns = ColumnCache()
    let clock: @Sendable () -> UInt64
    /// Only touched on the queue of the connection that writes, so that nobody ever waits for it.
    private let state: Mutex<WriterState>
    private let lock: Mutex<StoreLock?>
    /// How long the events of single sources are kept, and how many.
    let sources = Mutex<[ExactString: SourceRetention]>([:])

    /// Opens or creates the database, takes the lock. Starts `feed` at the newest event.
    /// - Throws: `StoreError` with description and hint: locked by another daemon, corrupt, of another layout, read-only, …
    package convenience init(_ options: StoreOptions) async throws(StoreError) {
        try await self.init(options, busyTimeout: .seconds(5), turnTime: .milliseconds(20), clock: wallClock)
    }

    /// - Parameters:
    ///   - busyTimeout: how long another process's lock is waited for.
    ///   - turnTime: after which one read ends with what it has.
    ///   - clock: microseconds since 1970, for the age of what is saved and the gap records that the store makes itself.
    init(
        _ options: StoreOptions, busyTimeout: Duration, turnTime: Duration, clock: @escaping @Sendable () -> UInt64
    ) async throws(StoreError) {
        let opened = try await Self.opened(options, busyTimeout: busyTimeout, turnTime: turnTime)
        self.options = options
        self.clock = clock
        database = opened.database
        limit = opened.limit
        lock = Mutex(opened.lock)
        state = Mutex(opened.state)
        feed.publish(opened.state.lastEventID)
    }

    private struct Opened: Sendable {
        var database: StoreDatabase
        var lock: StoreLock
        var limit: SizeLimit
        var state: WriterState
    }

    private static func opened(
        _ options: StoreOptions, busyTimeout: Duration, turnTime: Duration
    ) async throws(StoreError) -> Opened {
        let result: Result<Opened, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    returning: Result { () throws(StoreError) in
                        try open(options, busyTimeout: busyTimeout, turnTime: turnTime)
                    })
            }
        }
        return try result.get()
    }

    /// Blocks.
    private static func open(
        _ options: StoreOptions, busyTimeout: Duration, turnTime: Duration
    ) throws(StoreError) -> Opened {
        let limit = try SizeLimit(options.maximumBytes)
        let file = try StoreFile(path: options.path)
        let lock = try StoreLock(beside: file)
        let database = try StoreDatabase(file, limit: limit, busyTimeout: busyTimeout, turnTime: turnTime)
        do {
            let state = try database.writeAndWait { db in try WriterState(db, limit: limit) }
            return Opened(database: database, lock: lock, limit: limit, state: state)
        } catch {
            database.close()
            throw error
        }
    }

    /// - Parameter rules: what they say of how long events are kept, and how many, holds from now on. What was stored by a
    ///   rule that is no more is kept as others are.
    package func use(_ rules: [SourceRule]) {
        sources.withLock { sources in
            let texts = rules.map { (ExactString($0.text), $0.retention) }
            sources = Dictionary(texts, uniquingKeysWith: { first, _ in first }).filter { !$0.value.isUsual }
        }
    }

    /// Empties the write-ahead log, closes the file and gives the lock back. Calls after this one throw; closing once
    /// more does nothing.
    package func close() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [self] in
                // Whoever has taken the lock out closes; until then nobody else can open the file.
                var held = lock.withLock { lock in
                    defer { lock = nil }
                    return lock
                }
                if held != nil { database.close() }
                held = nil
                continuation.resume()
            }
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
