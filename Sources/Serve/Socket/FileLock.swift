import Glibc

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
            close(descriptor)
            guard code == EWOULDBLOCK else { throw ServeError(call: "flock", path: path, errno: code) }
            throw ServeError(
                .inUse, "another glossd serves this socket: it holds \(path)",
                hint: "Stop it, or give this one another control.socket.")
        }
    }

    deinit {
        close(descriptor)
    }
}
