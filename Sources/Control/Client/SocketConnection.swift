import Dispatch
import Glibc
import Model
import Synchronization

/// A connection to a Unix socket. It blocks its own thread, and the thread of the task for a few milliseconds at most, unless it reads
/// ahead.
final class SocketConnection: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "control socket")
    /// How long a task waits before another thread does, in milliseconds. Most answers are there sooner than that thread would
    /// have started.
    private static let patience: Int32 = 5
    private let ahead = Mutex<ReadAhead?>(nil)

    /// - Parameter timeout: seconds that connecting, which takes no longer for long answers, and each `read` wait.
    /// - Throws: `ControlError.unreachable` that says why and what to do.
    init(path: String, timeout: Int) throws(ControlError) {
        descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.unreachable(path, errno) }
        let connecting = min(timeout, ControlClient.documentTimeout)
        Self.limit(descriptor, SO_SNDTIMEO, connecting)
        Self.limit(descriptor, SO_RCVTIMEO, timeout)
        if let failure = Self.connect(descriptor, path) {
            if failure == EAGAIN { throw .silent(socket: path, seconds: connecting) }
            throw Self.unreachable(path, failure)
        }
    }

    /// Also when the initializer throws.
    deinit { close(descriptor) }

    /// From now on, `read` waits without a limit.
    func removeLimit() { Self.limit(descriptor, SO_RCVTIMEO, 0) }

    /// Connecting waits, as sending does, while too many other connections have not been accepted.
    /// - Source: socket(7), SO_RCVTIMEO and SO_SNDTIMEO: zero means without a limit
    private static func limit(_ descriptor: Int32, _ option: Int32, _ seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends as much as the daemon takes: what is read then says whether that was all.
    func write(_ bytes: [UInt8]) async {
        // A request that is no larger than this fits, since the connection is new.
        if bytes.count <= Self.shortRequest { return Self.send(bytes, descriptor) }
        await onQueue { descriptor in Self.send(bytes, descriptor) }
    }

    private static let shortRequest = 16 << 10

    private static func send(_ bytes: [UInt8], _ descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 && errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Returns the next bytes, an empty array at the end, or the error number. Cancellation counts as the end.
    /// - Parameter most: the maximum number of bytes.
    func read(atMost most: Int) async -> Result<[UInt8], SystemError> {
        await withTaskCancellationHandler {
            if let ahead = ahead.withLock({ $0 }) { return ahead.next(atMost: most) }
            var events = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // Then it does not block.
            if poll(&events, 1, Self.patience) > 0 { return Self.receive(descriptor, most) }
            return await onQueue { descriptor in Self.receive(descriptor, most) }
        } onCancel: {
            // Ends a waiting `read`.
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// From now on, reads before `read` asks for bytes. `stop` must be called then.
    func readAhead() {
        ahead.withLock { ahead in
            if ahead == nil { ahead = ReadAhead(on: queue) { [self] in Self.receive(descriptor, $0) } }
        }
    }

    /// Ends reading ahead.
    func stop() {
        guard let ahead = ahead.withLock({ $0.take() }) else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
        ahead.stop()
    }

    private static func receive(_ descriptor: Int32, _ most: Int) -> Result<[UInt8], SystemError> {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, initialized in
            repeat {
                count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        return count < 0 ? .failure(SystemError(code: errno)) : .success(bytes)
    }

    struct SystemError: Error {
        var code: Int32
    }

    private func onQueue<Value: Sendable>(_ call: @escaping @Sendable (Int32) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: call(descriptor)) }
        }
    }

    private static func connect(_ descriptor: Int32, _ path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            guard bytes.count < buffer.count else { return false }
            buffer.copyBytes(from: bytes)
            return true
        }
        guard fits else { return ENAMETOOLONG }
        while true {
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if result == 0 || errno != EINTR { return result == 0 ? nil : errno }
        }
    }

    private static func unreachable(_ path: String, _ failure: Int32) -> ControlError {
        // The kernel gives the same error for a file that is not a socket as for a socket that no process listens on.
        var status = stat()
        let isOther = failure == ECONNREFUSED && stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
        let code = isOther ? ENOTSOCK : failure
        let (why, hint) = explanation(of: code, path)
        return .unreachable(socket: path, why: why, hint: hint, isAbsent: code == ENOENT || code == ECONNREFUSED)
    }

    /// Returns the meaning of an error number and what to do.
    static func explanation(of failure: Int32, _ path: String) -> (why: String, hint: String) {
        switch failure {
        case ENOENT:
            ("there is no such socket", "Is glossd running (systemctl status glossd)? Or use --socket.")
        case EACCES, EPERM:
            ("permission denied", accessAdvice(path))
        case ECONNREFUSED:
            (
                "nobody answers there",
                "glossd is not running, or waits for space on the disk before it starts: systemctl status glossd"
            )
        case ENOTSOCK, EPROTOTYPE:
            ("that is not a stream socket", "--socket names the socket of glossd.")
        case ENAMETOOLONG:
            ("the path is longer than the 107 bytes that the path of a socket may have", "Use a shorter path.")
        default:
            (errnoText(failure), "See systemctl status glossd.")
        }
    }

    /// What to do if this user may not use a socket. Its group cannot be seen by those who may not enter its folder.
    static func accessAdvice(_ path: String) -> String {
        var status = stat()
        let isKnown = stat(path, &status) == 0
        if isKnown, status.st_gid == 0 { return "It belongs to root: use sudo, or let glossd run in another group." }
        let name = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(status.st_gid)"
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
        let group = isKnown ? name : "systemd-journal"
        return "Use sudo, or join its group: sudo usermod -aG \(group) \(user), then log in again."
    }
}
