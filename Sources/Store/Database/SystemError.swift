internal import GRDB
internal import GRDBSQLite

/// The errno behind errors of SQLite. Each file remembers with which one its last failed call failed. `sqlite3_system_errno`
/// does not have it after a commit that failed, and may then have an earlier one.
/// - Source: https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntllasterrno
enum SystemError {
    /// - Returns: 0 if there is none.
    static func behind(_ error: DatabaseError, on connection: OpaquePointer) -> Int32 {
        switch error.resultCode {
        case .SQLITE_CORRUPT: return last(on: connection)
        case .SQLITE_IOERR:
            let code = last(on: connection)
            // The wal-index is a file that cannot be asked.
            return code == 0 ? sqlite3_system_errno(connection) : code
        case .SQLITE_CANTOPEN: return sqlite3_system_errno(connection)
        default: return 0
        }
    }

    /// Returns that of the database file or its log; 0 if no call for them has failed since `forget`.
    static func last(on connection: OpaquePointer) -> Int32 {
        files(of: connection).lazy.map(code).first { $0 != 0 } ?? 0
    }

    /// Lets `last` not return it again, for a later error that has no errno.
    static func forget(on connection: OpaquePointer) {
        for file in files(of: connection) where code(of: file) != 0 {
            // SQLite sets it to 0 only when a read finds less than it asks for, as behind the end of a file.
            var byte: UInt8 = 0
            _ = file.pointee.pMethods?.pointee.xRead(file, &byte, 1, 1 << 46)
        }
    }

    private typealias File = UnsafeMutablePointer<sqlite3_file>

    private static func files(of connection: OpaquePointer) -> [File] {
        [SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER].compactMap { pointer in
            var file: File?
            sqlite3_file_control(connection, "main", pointer, &file)
            return file
        }
    }

    private static func code(of file: File) -> Int32 {
        var code: Int32 = 0
        _ = file.pointee.pMethods?.pointee.xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code)
        return code
    }
}
