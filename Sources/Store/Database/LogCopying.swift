internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Copies the write-ahead log into the database when a commit has made it long, as SQLite does automatically. This
/// takes many times as long as the commit. It can be postponed until those who wait for events have been woken; the
/// caller that waits for the commit waits for it, too.
/// - Source: https://www.sqlite.org/c3ref/wal_hook.html
final class LogCopying: Sendable {
    private struct State {
        var isPostponed = false
        var isDue = false
    }

    /// The length of the log, in pages, from which it is copied.
    private let pages: Int32
    private let state = Mutex(State())

    init(limit: SizeLimit) { pages = Int32(clamping: limit.walBytes / SizeLimit.pageBytes) }

    /// - Parameter db: must not commit after this object is released.
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
        let isPostponed = state.withLock { state in
            state.isDue = state.isPostponed
            return state.isPostponed
        }
        if !isPostponed { Self.copy(connection) }
    }

    /// Postpones copying during `body` to the end of it.
    func postponing<Value>(_ db: Database, _ body: () throws -> Value) rethrows -> Value {
        state.withLock { $0 = State(isPostponed: true) }
        defer {
            let isDue = state.withLock { state in
                defer { state = State() }
                return state.isDue
            }
            if isDue { Self.copy(db.sqliteConnection) }
        }
        return try body()
    }

    /// Copies as much as readers and the disk permit. The rest is copied after a later commit.
    private static func copy(_ connection: OpaquePointer?) {
        guard let connection else { return }
        let code = sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        // The commit has succeeded. The errno would be taken for that of a later error.
        if code != SQLITE_OK { SystemError.forget(on: connection) }
    }
}

/// Opens a database on a disk that has no room for the index of the write-ahead log, a file beside the database that
/// all processes share. The connections then share an index in memory, and other processes are locked out.
/// - Source: https://www.sqlite.org/vfs.html, "unix-excl"
enum PrivateLogIndex {
    /// Runs `body`. The databases that it opens have their index in memory until they are closed.
    static func use<Value>(_ body: () throws -> Value) throws -> Value {
        guard let usual = sqlite3_vfs_find(nil), let exclusive = sqlite3_vfs_find("unix-excl") else {
            return try body()
        }
        // GRDB opens databases with the default VFS.
        sqlite3_vfs_register(exclusive, 1)
        defer { sqlite3_vfs_register(usual, 1) }
        return try body()
    }
}
