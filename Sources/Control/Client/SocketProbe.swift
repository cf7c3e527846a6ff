import Glibc

/// Finds out why a Unix socket cannot be connected to.
enum SocketProbe {
    /// The error number of connect(2); `nil` when it succeeds.
    static func failure(path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let isTooLong = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            guard bytes.count < buffer.count else { return true }
            buffer.copyBytes(from: bytes)
            return false
        }
        guard !isTooLong else { return ENAMETOOLONG }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? nil : errno
    }

    /// What the error number means here, and what to do.
    static func explanation(of failure: Int32) -> (why: String, hint: String) {
        switch failure {
        case ENOENT:
            ("there is no such socket", "Is glossd running (systemctl status glossd)? --socket names another place.")
        case EACCES, EPERM:
            ("permission denied", "Be in group systemd-journal or use sudo.")
        case ECONNREFUSED:
            ("connection refused", "glossd is not running (any more): systemctl status glossd")
        case ENOTSOCK, EPROTOTYPE:
            ("that is not a stream socket", "--socket names the socket of glossd.")
        case ENAMETOOLONG:
            ("the path is longer than the 107 bytes that a socket's may have", "Use a shorter path.")
        default:
            (String(cString: strerror(failure)), "See systemctl status glossd.")
        }
    }
}
