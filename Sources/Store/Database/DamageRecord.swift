internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Remembers that something met damage in the file, whoever it was: it does not heal, and what reads the whole part
/// meets nothing.
final class DamageRecord: Sendable {
    private let file: StoreFile
    private let first = Mutex<StoreError?>(nil)

    init(of file: StoreFile) {
        self.file = file
    }

    /// What was met first; `nil` when nothing was.
    var error: StoreError? { first.withLock { $0 } }

    /// What `body` gives, or its failure in words for the operator, with what the system says of it.
    func result<Value>(_ db: Database, _ body: (Database) throws -> Value) -> Result<Value, StoreError> {
        do {
            return .success(try body(db))
        } catch {
            let code = db.sqliteConnection.map { sqlite3_system_errno($0) } ?? 0
            let error = StoreError(error, file: file, systemError: code)
            if error.kind == .corrupt { first.withLock { $0 = $0 ?? error } }
            return .failure(error)
        }
    }
}

extension DatabaseError {
    /// - Parameter what: is not as it was written.
    static func damaged(_ what: String) -> DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: what) }
}
