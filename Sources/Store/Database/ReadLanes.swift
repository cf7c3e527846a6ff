internal import GRDB

/// The connections that only read, one for each lane.
struct ReadLanes: Sendable {
    private let file: StoreFile
    private let turnTime: Duration
    private let queues: [ReadLane: DatabaseQueue]
    private let damage: DamageRecord

    /// To be made when the connection that writes has opened the file. Blocks.
    /// - Parameter turnTime: how long one read may have its lane before it should end with what it has.
    init(_ file: StoreFile, turnTime: Duration, damage: DamageRecord) throws {
        self.file = file
        self.damage = damage
        self.turnTime = turnTime
        var queues: [ReadLane: DatabaseQueue] = [:]
        for lane in ReadLane.allCases {
            var configuration = Configuration()
            configuration.label = "store.\(lane)"
            configuration.readonly = true
            // Readers wait for nobody in this mode, but for a process that repairs the log after a crash.
            configuration.busyMode = .timeout(10)
            configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -512") }
            queues[lane] = try DatabaseQueue(path: file.path, configuration: configuration)
        }
        self.queues = queues
    }

    /// Runs `body` in one snapshot.
    /// - Parameter body: ends when `ReadTurn.isOver`, with what it has.
    /// - Throws: `.cancelled` when the task was cancelled before `body` had come to its end: at once while it waits for
    ///   its turn.
    func read<Value: Sendable>(
        _ lane: ReadLane, _ body: @escaping @Sendable (Database, ReadTurn) throws -> Value
    ) async throws(StoreError) -> Value {
        let turn = ReadTurn(time: turnTime)
        let result: Result<Value, StoreError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let queue = queues[lane],
                    turn.wait(giveUp: { continuation.resume(returning: .failure(.cancelled)) })
                else { return continuation.resume(returning: .failure(.cancelled)) }
                queue.asyncRead { access in
                    guard turn.begin(interrupt: { queue.interrupt() }) else { return }
                    let result: Result<Value, StoreError> =
                        switch access {
                        case .success(let db): damage.result(db) { try body($0, turn) }
                        case .failure(let error): .failure(StoreError(error, file: file))
                        }
                    turn.finish()
                    continuation.resume(returning: turn.isGivenUp ? .failure(.cancelled) : result)
                }
            }
        } onCancel: {
            turn.giveUp()
        }
        return try result.get()
    }

    /// Blocks until the reads that run have ended.
    func close() {
        for queue in queues.values { try? queue.close() }
    }
}

/// Who reads the store. Each lane has a connection of its own, so that none waits for another. Within a lane reads take
/// turns, in the order in which they were asked for, and each has little time: who wants more asks again.
package enum ReadLane: Sendable, CaseIterable {
    /// Counters and single rows, which are there at once.
    case status
    /// What sinks send, and the newest events that are packed.
    case delivery
    /// Dictionaries as they were, and the events that are reprocessed.
    case definitions
    /// Queries that are answered from counters and from what repeats: names, levels, times.
    case query
    /// Queries that look into payloads.
    case search
}
