internal import GRDB
internal import Model
internal import Synchronization

/// The connections that only read, one for each lane.
final class ReadLanes: Sendable {
    private let file: StoreFile
    private let turnTime: Duration
    private let journal = Mutex<(any JournalFieldSource)?>(nil)
    private let queues: [ReadLane: DatabaseQueue]
    private let damage: DamageRecord

    /// Opens the connections. The connection that writes must have opened the file before. Blocks.
    /// - Parameter turnTime: how long one read may occupy its lane before it should return what it has.
    init(_ file: StoreFile, turnTime: Duration, damage: DamageRecord) throws {
        self.file = file
        self.damage = damage
        self.turnTime = turnTime
        var queues: [ReadLane: DatabaseQueue] = [:]
        for lane in ReadLane.allCases {
            queues[lane] = try DatabaseQueue(path: file.path, configuration: Self.configuration("store.\(lane)"))
        }
        self.queues = queues
    }

    /// Sets what reads journal entries for conditions on them.
    func use(_ source: any JournalFieldSource) { journal.withLock { $0 = source } }

    /// That of a connection that only reads.
    static func configuration(_ label: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = label
        configuration.readonly = true
        // In WAL mode readers wait only for a process that recovers the log after a crash.
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -512") }
        return configuration
    }

    /// Runs `body` in one snapshot.
    /// - Parameter body: returns what it has read so far once `ReadTurn.shouldEnd`.
    /// - Throws: `.cancelled` when the task was cancelled before `body` had finished. A read that is still waiting
    ///   for its turn throws immediately.
    func read<Value: Sendable>(
        _ lane: ReadLane, _ body: @escaping @Sendable (Database, ReadTurn) throws -> Value
    ) async throws(StoreError) -> Value {
        let turn = ReadTurn(time: turnTime, journal: journal.withLock(\.self))
        let result: Result<Value, StoreError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let queue = queues[lane],
                    turn.wait(onCancel: { continuation.resume(returning: .failure(.cancelled)) })
                else { return continuation.resume(returning: .failure(.cancelled)) }
                queue.asyncRead { [damage, file] access in
                    guard turn.begin(interrupt: { queue.interrupt() }) else { return }
                    let result: Result<Value, StoreError> =
                        switch access {
                        case .success(let db): damage.result(db) { try body($0, turn) }
                        case .failure(let error): .failure(StoreError(error, file: file))
                        }
                    turn.finish()
                    continuation.resume(returning: turn.isCancelled ? .failure(.cancelled) : result)
                }
            }
        } onCancel: {
            turn.cancel()
        }
        return try result.get()
    }

    /// Closes the connections after the running reads have ended. Blocks.
    func close() {
        for queue in queues.values { try? queue.close() }
    }
}

/// A group of readers of the store. Each lane has its own connection, so that none waits for another. Within a lane,
/// reads run one after the other in the order of the requests, and each has a short time: a reader that needs more
/// makes another request.
package enum ReadLane: Sendable, CaseIterable {
    /// Reads of counters and single rows, which take next to no time.
    case status
    /// Reads of the events that sinks send, and of the open events to pack.
    case delivery
    /// Reads of earlier versions of dictionaries, and of the events that are reprocessed.
    case definitions
    /// Queries that are answered from counters, names, levels and times, without payloads.
    case query
    /// Queries that read payloads.
    case search
    /// What queries and searches read at the same time as something else.
    case queryBeside, searchBeside

    /// The lane for what is read at the same time.
    var beside: ReadLane { self == .search ? .searchBeside : .queryBeside }
}
