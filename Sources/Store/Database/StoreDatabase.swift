internal import GRDB
internal import Model

/// The open database: one connection that writes and checkpoints, and one connection for each lane that only reads.
///
/// A write always runs to completion: cancelling the task that waits for it has no effect, so that committed changes
/// are never reported as failed. A read ends when its task is cancelled.
struct StoreDatabase: Sendable {
    let file: StoreFile
    private let writer: DatabaseQueue
    private let lanes: ReadLanes
    private let opened: StoreFile.Identities
    let damage: DamageRecord
    /// Whether the index of the log is in memory, which locks other processes out.
    let hasPrivateIndex: Bool
    /// Copies the log of the connection that writes.
    let logCopying: LogCopying

    /// Opens or creates the database. Blocks, so that it must not run on the cooperative threads.
    init(
        _ file: StoreFile, limit: SizeLimit, busyTimeout: Duration, turnTime: Duration
    ) throws(StoreError) {
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
                hasPrivateIndex = false
            } catch  where StoreError(error, file: file).kind == .full {
                (writer, lanes) = try PrivateLogIndex.use(open)
                hasPrivateIndex = true
            }
            opened = try file.identities()
        } catch {
            throw StoreError(error, file: file)
        }
    }

    /// Sets what reads journal entries for conditions on them.
    func use(_ journal: any JournalFieldSource) { lanes.use(journal) }

    private static func writer(_ file: StoreFile, _ configuration: Configuration) throws -> DatabaseQueue {
        let writer = try DatabaseQueue(path: file.path, configuration: configuration)
        try writer.writeWithoutTransaction { db in
            do {
                if try isEmpty(db) {
                    try db.inTransaction {
                        try Schema.create(db)
                        return .commit
                    }
                }
            } catch {
                throw StoreError(error, file: file, on: db)
            }
            // Copies the log, so that the database file itself has the schema and the marks that identify it. If a
            // shell is reading, this fails, and the log is copied later.
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
                // Built before GRDB closes the connection, which may free the disk space whose lack was the error.
                throw StoreError(error, file: file, on: db)
            }
        }
        return configuration
    }

    private static func prepare(_ db: Database, _ file: StoreFile, _ limit: SizeLimit) throws {
        try refuseForeign(db, file)
        // This takes effect only before the first table is created, and writes a page each time, which fails on a
        // full disk.
        if try isEmpty(db) { try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
        try db.execute(
            sql: """
                PRAGMA cache_size = -512;
                PRAGMA secure_delete = ON;
                PRAGMA temp_store = MEMORY;
                PRAGMA journal_size_limit = \(limit.walBytes);
                """)
        // GRDB's own way to set the mode would also write a page.
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw StoreError(kind: .failed, description: "\(file.path) does not support a write-ahead log")
        }
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
    }

    /// Throws unless this is an empty file or one of our own. Called before anything is written.
    static func refuseForeign(_ db: Database, _ file: StoreFile) throws {
        let mark = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let layout = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        try refuseForeign(mark: mark, layout: layout, isEmpty: mark == 0 ? try isEmpty(db) : false, file)
    }

    /// - Parameter isEmpty: whether there are no tables; only looked at where there is no mark.
    static func refuseForeign(mark: Int32, layout: Int32, isEmpty: Bool, _ file: StoreFile) throws(StoreError) {
        if mark == 0, isEmpty { return }
        guard mark == Schema.applicationID else {
            throw StoreError(
                kind: .corrupt, description: "\(file.path) is a database of another program",
                hint: "Name another file in the settings under store.path.")
        }
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

    /// Runs `body` on the connection that writes. Blocks.
    func writeAndWait<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        do {
            return try writer.writeWithoutTransaction { db in try damage.result(db, body).get() }
        } catch {
            throw StoreError(error, file: file)
        }
    }

    /// Runs `body` on the lane's connection, in one snapshot.
    /// - Throws: `.cancelled` when the task is cancelled before `body` has finished.
    func read<Value: Sendable>(
        _ lane: ReadLane, _ body: @escaping @Sendable (Database, ReadTurn) throws -> Value
    ) async throws(StoreError) -> Value {
        try await lanes.read(lane, body)
    }

    /// Runs `body` on the lane's connection, for reads whose duration does not depend on the number of events.
    func read<Value: Sendable>(
        _ lane: ReadLane, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await lanes.read(lane) { db, _ in try body(db) }
    }

    /// - Throws: an error when the file was deleted or replaced, or cannot be reached.
    func verify() throws(StoreError) { try file.verify(opened) }

    /// Empties the write-ahead log and closes the database. Blocks.
    func close() {
        // The connection that writes must be closed last, since only the last connection may remove the log.
        lanes.close()
        _ = try? writer.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        try? writer.close()
    }
}
