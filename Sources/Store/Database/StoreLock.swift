internal import Glibc
internal import Model

/// A lock on a file beside the database, which is held as long as this object exists, so that no second daemon writes
/// to the store.
/// - Source: flock(2)
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// - Throws: `.locked`, naming the process that holds the lock.
    init(beside file: StoreFile) throws(StoreError) {
        let path = file.path + ".lock"
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let kind: StoreError.Kind =
                switch errno {
                case EROFS, EACCES, EPERM: .readOnly
                case ENOSPC, EDQUOT: .full
                default: .failed
                }
            throw StoreError(
                kind: kind, description: "the lock \(path) cannot be opened: \(errnoText())",
                hint: kind == .full ? StoreError.fullHint : nil)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(descriptor) }
            guard errno == EWOULDBLOCK else {
                throw StoreError(kind: .failed, description: "the lock \(path) cannot be taken: \(errnoText())")
            }
            let holder = Self.holder(descriptor).map { " (process \($0))" } ?? ""
            throw StoreError(
                kind: .locked, description: "another glossd\(holder) uses the store in \(file.folder)",
                hint: "Stop it, or give this one a store of its own in the settings under store.path.")
        }
        // The pid is for the error message of another daemon. On a full disk it is not written.
        let text = "\(getpid())\n"
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func holder(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer[..<count], as: UTF8.self).prefix { $0.isNumber })
    }
}
