internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Copies the write-ahead log into the database when a commit has made it long, as SQLite does by itself. That takes many
/// times as long as the commit: where somebody waits for what was committed, it is put off until they know.
/// - Source: https://www.sqlite.org/c3ref/wal_hook.html
final class LogCopying: Sendable {
    private struct State {
        var isPutOff = false
        var isDue = false
    }

    /// From which length on, in pages.
    private let pages: Int32
    private let state = Mutex(State())

    init(limit: SizeLimit) { pages = Int32(clamping: limit.walBytes / SizeLimit.pageBytes) }

    /// - Parameter db: commits nothing after this is gone.
    func begin(_ db: Database) {
        sqlite3_wal_hook(
            db.sqliteConnection,
            { copying, connection, _, pages in
                guard let copying else { return SQLITE_OK }
                Unmanaged<LogCopying>.fromOpaque(copying).takeUnretainedValue().didCommit(connection, pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func didCommit(_ connection: OpaquePointer?, _ logPages: Int32) {
        guard logPages >= pages else { return }
        let isPutOff = state.withLock { state in
            state.isDue = state.isPutOff
            return state.isPutOff
        }
        if !isPutOff { Self.copy(connection) }
    }

    /// What is due after `body` is done at its end.
    func puttingOff<Value>(_ db: Database, _ body: () throws -> Value) rethrows -> Value {
        state.withLock { $0 = State(isPutOff: true) }
        defer {
            let isDue = state.withLock { state in
                defer { state = State() }
                return state.isDue
            }
            if isDue { Self.copy(db.sqliteConnection) }
        }
        return try body()
    }

    /// As much as readers let it; what is left is copied after another commit.
    private static func copy(_ connection: OpaquePointer?) {
        sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}

/// Opening a database whose disk has no room for the index of the write-ahead log, a file beside it that all processes
/// share. Connections then share it in memory, and other processes are kept out.
/// - Source: https://www.sqlite.org/vfs.html, "unix-excl"
enum PrivateLogIndex {
    /// Whatever `body` opens has its index in memory until it is closed.
    static func use<Value>(_ body: () throws -> Value) throws -> Value {
        guard let usual = sqlite3_vfs_find(nil), let exclusive = sqlite3_vfs_find("unix-excl") else {
            return try body()
        }
        // GRDB opens with the default one.
        sqlite3_vfs_register(exclusive, 1)
        defer { sqlite3_vfs_register(usual, 1) }
        return try body()
    }
}
