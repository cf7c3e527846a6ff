import Glibc
import Model

/// A lock that the kernel gives up with the process, however that ends. The file stays: removing it would let two
/// processes lock two files of the same name.
struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// - Throws: `ServeError` with kind `inUse` when another process holds it.
    init(path: String) throws(ServeError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw ServeError(call: "open", path: path, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            guard code == EWOULDBLOCK else { throw ServeError(call: "flock", path: path, errno: code) }
            throw ServeError(
                .inUse, "another glossd\(holder) serves the control socket: it holds \(path)",
                hint: "Stop it, or give this one another control.socket.")
        }
        // For the message above: who holds it is not needed otherwise.
        let pid = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, pid, pid.count, 0)
    }

    /// What the holder has written, in words.
    private static func holder(_ descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        return Int(text.prefix { $0.isNumber }).map { " (process \($0))" } ?? ""
    }

    deinit {
        close(descriptor)
    }
}
