internal import Glibc
internal import Linux
internal import Model

/// A lock on a file beside the database, which is held as long as this object exists, so that no second daemon writes
/// to the store.
final class StoreLock: Sendable {
    private let lock: FileLock

    /// - Throws: `.locked`, naming the process that holds the lock.
    init(beside file: StoreFile) throws(StoreError) {
        let path = file.path + ".lock"
        do throws(FileLock.Failure) {
            lock = try FileLock(path: path)
        } catch {
            throw Self.error(error, path, file)
        }
    }

    private static func error(_ failure: FileLock.Failure, _ path: String, _ file: StoreFile) -> StoreError {
        switch failure {
        case .held(let process):
            let holder = process.map { " (process \($0))" } ?? ""
            return StoreError(
                kind: .locked, description: "another glossd\(holder) uses the store in \(file.folder)",
                hint: "Stop it, or give this one a store of its own in the settings under store.path.")
        case .foreign(let reason):
            return StoreError(
                kind: .foreign, description: "\(path) is not the lock of a store: \(reason)",
                hint: "Move it away, or name another file in the settings under store.path.")
        case .failed("open", let code):
            let kind: StoreError.Kind =
                switch code {
                case EROFS, EACCES, EPERM: .readOnly
                case ENOSPC, EDQUOT: .full
                default: .failed
                }
            return StoreError(
                kind: kind, description: "the lock \(path) cannot be opened: \(errnoText(code))",
                hint: kind == .full ? StoreError.fullHint : nil, systemError: code)
        case .failed(_, let code):
            return StoreError(kind: .failed, description: "the lock \(path) cannot be taken: \(errnoText(code))")
        }
    }
}
