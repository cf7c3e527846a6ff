internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// The first damage that any reader or writer of the file found. It is remembered, since later calls that do not need
/// the damaged part do not find it again.
final class DamageRecord: Sendable {
    private let file: StoreFile
    private let first = Mutex<StoreError?>(nil)

    init(of file: StoreFile) {
        self.file = file
    }

    /// The damage that was found first; `nil` when none was.
    var error: StoreError? { first.withLock { $0 } }

    /// Returns the result of `body`, or its error as a description for the operator, with the errno behind it.
    func result<Value>(_ db: Database, _ body: (Database) throws -> Value) -> Result<Value, StoreError> {
        do {
            return .success(try body(db))
        } catch {
            let code = db.sqliteConnection.map { sqlite3_system_errno($0) } ?? 0
            return .failure(noted(error, systemError: code))
        }
    }

    /// Returns an error as a description for the operator.
    func noted(_ error: any Error, systemError: Int32 = 0) -> StoreError {
        let error = StoreError(error, file: file, systemError: systemError)
        if error.kind == .corrupt { first.withLock { $0 = $0 ?? error } }
        return error
    }
}

extension DatabaseError {
    /// - Parameter what: the part that is damaged, and how.
    static func damaged(_ what: String) -> DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: what) }
}
