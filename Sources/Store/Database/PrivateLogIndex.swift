internal import GRDBSQLite

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
