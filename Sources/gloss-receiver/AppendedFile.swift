import Glibc

/// A file that only grows. Open for as long as the process runs.
struct AppendedFile: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var path: String
        var errno: Int32
        var description: String { "\(path) cannot be written: \(String(cString: strerror(errno)))" }
    }

    private let path: String
    private let descriptor: Int32

    init(path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(path: path, errno: errno) }
    }

    /// All or nothing: after an error the file ends where it did before.
    /// - Parameter sync: whether the bytes are to be on the disk when it returns.
    func append(_ bytes: [UInt8], sync: Bool) throws(Failure) {
        let end = lseek(descriptor, 0, SEEK_END)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw undo(to: end) }
            written += count
        }
        if sync, fdatasync(descriptor) != 0, errno != EINVAL { throw undo(to: end) }
    }

    private func undo(to end: off_t) -> Failure {
        let failure = Failure(path: path, errno: errno)
        // The half line goes; where that fails too (a pipe, a dead disk), the error says what must be known.
        _ = ftruncate(descriptor, end)
        return failure
    }
}
