internal import GRDB
internal import Synchronization

/// What any reader or writer of the file found that was wrong with it or its disk, and that later calls may not find
/// again.
final class DamageRecord: Sendable {
    private struct State {
        var damage: StoreError?
        /// The errors of the disk, by the connections whose last call failed because of it.
        var diskErrors: [ObjectIdentifier: (error: StoreError, time: ContinuousClock.Instant)] = [:]
    }

    /// How long an error of the disk counts if nobody makes another call on the connection. Whoever needs it has tried again
    /// by then.
    private static let diskErrorTime = Duration.seconds(60)

    private let file: StoreFile
    private let state = Mutex(State())

    init(of file: StoreFile) {
        self.file = file
    }

    /// The damage that was found first; `nil` when none was. It lasts: calls that do not need the damaged part succeed.
    var error: StoreError? { state.withLock(\.damage) }

    /// The last error of the disk; `nil` when there was none, or when calls on the same connection succeed again.
    var diskError: StoreError? {
        let last = state.withLock { $0.diskErrors.values.max { $0.time < $1.time } }
        return last.flatMap { .now - $0.time < Self.diskErrorTime ? $0.error : nil }
    }

    /// Returns the result of `body`, or its error as a description for the operator, with the errno behind it.
    func result<Value>(_ db: Database, _ body: (Database) throws -> Value) -> Result<Value, StoreError> {
        let id = ObjectIdentifier(db)
        // What the call before passed over, such as that the log could not be shortened, is not behind an error of this one.
        if let connection = db.sqliteConnection { SystemError.forget(on: connection) }
        do {
            let value = try body(db)
            state.withLock { _ = $0.diskErrors.removeValue(forKey: id) }
            return .success(value)
        } catch {
            let error = noted(StoreError(error, file: file, on: db))
            if error.kind == .disk { state.withLock { $0.diskErrors[id] = (error, .now) } }
            return .failure(error)
        }
    }

    /// Returns an error as a description for the operator.
    func noted(_ error: any Error) -> StoreError {
        let error = StoreError(error, file: file)
        if error.kind == .corrupt { state.withLock { $0.damage = $0.damage ?? error } }
        return error
    }
}

extension StoreError {
    /// Describes an error for the operator, with the errno behind it, which the connection then forgets.
    init(_ error: any Error, file: StoreFile, on db: Database) {
        guard let connection = db.sqliteConnection, let known = error as? DatabaseError else {
            self.init(error, file: file)
            return
        }
        self.init(error, file: file, systemError: SystemError.behind(known, on: connection))
        SystemError.forget(on: connection)
    }
}

extension DatabaseError {
    /// Whether a part of the file is damaged: as SQLite found it, or `damaged`.
    var isDamage: Bool { resultCode == .SQLITE_CORRUPT }

    /// - Parameter what: the part that is damaged, and how.
    static func damaged(_ what: String) -> DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: what) }
}
