internal import GRDB
internal import Glibc
internal import Model

/// The open database: one connection that writes and checkpoints, and for each lane one that only reads.
///
/// Writing runs to its end: cancelling the task that waits for it changes nothing, so that what was committed is never
/// reported as failed. Reading ends when its task is cancelled.
struct StoreDatabase: Sendable {
    let file: StoreFile
    private let writer: DatabaseQueue
    private let lanes: ReadLanes
    private let opened: StoreFile.Identities
    let damage: DamageRecord
    /// Of the connection that writes.
    let logCopying: LogCopying

    /// Opens or creates. Blocks: not for the cooperative threads.
    init(_ file: StoreFile, limit: SizeLimit, busyTimeout: Duration, turnTime: Duration) throws(StoreError) {
        self.file = file
        damage = DamageRecord(of: file)
        logCopying = LogCopying(limit: limit)
        do {
            try file.createIfMissing()
            let configuration = Self.configuration(file, limit: limit, busyTimeout: busyTimeout)
            let open = { [damage, logCopying] in
                let writer = try Self.writer(file, configuration)
                writer.inDatabase { logCopying.begin($0) }
                return (writer, try ReadLanes(file, turnTime: turnTime, damage: damage))
            }
            do {
                (writer, lanes) = try open()
            } catch  where StoreError(error, file: file).kind == .full {
                (writer, lanes) = try PrivateLogIndex.use(open)
            }
            opened = file.identities
        } catch {
            throw StoreError(error, file: file)
        }
    }

    private static func writer(_ file: StoreFile, _ configuration: Configuration) throws -> DatabaseQueue {
        let writer = try DatabaseQueue(path: file.path, configuration: configuration)
        try writer.writeWithoutTransaction { db in
            if try isEmpty(db) {
                try db.inTransaction {
                    try Schema.create(db)
                    return .commit
                }
            }
            // From here on the file itself holds the schema and the marks that say whose it is.
            // A shell that reads may be in the way; then the log is copied later.
            _ = try? db.checkpoint(.truncate)
        }
        return writer
    }

    private static func configuration(
        _ file: StoreFile, limit: SizeLimit, busyTimeout: Duration
    ) -> Configuration {
        var configuration = Configuration()
        configuration.label = "store"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        configuration.prepareDatabase { db in
            do {
                try prepare(db, file, limit)
            } catch {
                // Before GRDB closes the connection, which may make room for the file that there was none for.
                throw StoreError(error, file: file)
            }
        }
        return configuration
    }

    private static func prepare(_ db: Database, _ file: StoreFile, _ limit: SizeLimit) throws {
        try refuseForeign(db, file)
        // It only takes effect before the first table is made, and it is written each time, for which a full disk has
        // no room.
        if try isEmpty(db) { try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
        try db.execute(
            sql: """
                PRAGMA cache_size = -512;
                PRAGMA secure_delete = ON;
                PRAGMA temp_store = MEMORY;
                PRAGMA journal_size_limit = \(limit.walBytes);
                """)
        // Not by GRDB, which would write a page, too.
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(kind: .failed, description: "\(file.path) cannot have a write-ahead log")
        }
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
    }

    /// Before anything is written: is this an empty file, or one of ours?
    private static func refuseForeign(_ db: Database, _ file: StoreFile) throws {
        let mark = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        if mark == 0, try isEmpty(db) { return }
        guard mark == Schema.applicationID else {
            throw StoreError(
                kind: .corrupt, description: "\(file.path) is a database of another program",
                hint: "Name another file in the settings under store.path.")
        }
        let layout = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard layout == Schema.layout else { throw StoreError(layout: layout, file: file) }
    }

    private static func isEmpty(_ db: Database) throws -> Bool {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
    }

    // MARK: access

    /// Runs `body` on the connection that writes, outside a transaction.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { db in
                continuation.resume(returning: damage.result(db) { try body($0) })
            }
        }
        return try result.get()
    }

    /// The same; blocks.
    func writeAndWait<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try writer.writeWithoutTransaction { db in try damage.result(db, body).get() }
        } catch {
            throw StoreError(error, file: file)
        }
    }

    /// Runs `body` on the lane's connection, in one snapshot.
    /// - Throws: `.cancelled` when the task is cancelled before that is done.
    func read<Value: Sendable>(
        _ lane: ReadLane, _ body: @escaping @Sendable (Database, ReadTurn) throws -> Value
    ) async throws(StoreError) -> Value {
        try await lanes.read(lane, body)
    }

    /// The same, for what takes no longer when there are more events.
    func read<Value: Sendable>(
        _ lane: ReadLane, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await lanes.read(lane) { db, _ in try body(db) }
    }

    /// - Throws: when the file was deleted or replaced.
    func verify() throws(StoreError) { try file.verify(opened) }

    /// Empties the write-ahead log, and closes. Blocks.
    func close() {
        // The connection that writes must be the last one that is open: only it may remove the log.
        lanes.close()
        _ = try? writer.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        try? writer.close()
    }
}
