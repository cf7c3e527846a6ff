internal import GRDB

extension DatabaseError {
    /// - Parameter what: is not as it was written.
    static func damaged(_ what: String) -> DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: what) }
}
