import Glibc
import Linux
package import Model
import Synchronization

/// The file of the listening socket, and the lock file beside it.
///
/// Binding needs a path without a file, and a socket there may belong to another daemon. Therefore a daemon first takes
/// the lock `<socket>.lock`, and only then examines the file at the path.
package final class ControlSocket: Sendable {
    let path: String
    /// The socket: bound, not yet listening. `nil` if it was taken.
    private let descriptor: Mutex<CInt?>
    private let mode: UInt32
    private let lock: Lock
    /// The socket's file; `nil` when it is no longer this one's.
    private let identity: Mutex<FileIdentity?>

    /// Takes the lock and creates the socket. Clients cannot connect yet.
    /// - Throws: `ServeError`.
    package convenience init(_ options: ControlOptions) throws(ServeError) {
        try self.init(path: options.socket, mode: options.mode)
    }

    /// Takes the lock, removes a stale socket, and binds a new one that has exactly the permission bits `mode`.
    ///
    /// Clients cannot connect before the socket listens, so the bits can be set after binding.
    /// - Throws: `ServeError`.
    convenience init(path: String, mode: UInt32) throws(ServeError) {
        // Before the lock, which has a longer path.
        _ = try Self.address(path)
        try self.init(path: path, mode: mode, lock: try Self.lock(path + ".lock"))
    }

    private init(path: String, mode: UInt32, lock: Lock) throws(ServeError) {
        var address = try Self.address(path)
        try Self.removeStaleSocket(at: path, &address)
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ServeError(call: "socket", path: path, errno: errno) }
        do throws(ServeError) {
            guard Self.with(&address, { Glibc.bind(descriptor, $0, $1) }) == 0 else {
                throw ServeError(call: "bind", path: path, errno: errno)
            }
            guard chmod(path, mode_t(mode)) == 0 else {
                let error = ServeError(call: "chmod", path: path, errno: errno)
                unlink(path)
                throw error
            }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        identity = Mutex(FileIdentity(path: path))
        (self.path, self.mode, self.lock) = (path, mode, lock)
        self.descriptor = Mutex(descriptor)
    }

    /// The lock of a socket and of those that are made instead of it.
    private final class Lock: Sendable {
        let file: FileLock

        init(_ file: consuming FileLock) { self.file = file }
    }

    private static func lock(_ path: String) throws(ServeError) -> Lock {
        do throws(FileLock.Failure) {
            return Lock(try FileLock(path: path))
        } catch {
            switch error {
            case .failed(let call, let code): throw ServeError(call: call, path: path, errno: code)
            case .foreign(let reason):
                throw ServeError(
                    "\(path) is not the lock of a control socket: \(reason)",
                    hint: "Move it away, or name another path in control.socket.", isLasting: true)
            case .held(let process):
                let holder = process.map { " (process \($0))" } ?? ""
                throw ServeError(
                    "another glossd\(holder) serves the control socket: it holds \(path)",
                    hint: "Stop it, or give this one another control.socket.")
            }
        }
    }

    deinit {
        remove()
        if let descriptor = takeDescriptor() { Glibc.close(descriptor) }
    }

    /// Returns the socket once. The caller closes it.
    func takeDescriptor() -> CInt? {
        descriptor.withLock { $0.take() }
    }

    /// Whether clients find the socket at its path.
    var isInPlace: Bool { identity.withLock { $0.map { FileIdentity(path: path) == $0 } ?? false } }

    /// Creates a socket instead of this one, whose file was removed or replaced. The lock is taken again if its file was,
    /// too. After an error, this one's file may still be put back.
    /// - Throws: `ServeError`.
    func renewed() throws(ServeError) -> ControlSocket {
        let lockPath = path + ".lock"
        let lock = lock.file.isFile(at: lockPath) ? lock : try Self.lock(lockPath)
        let renewed = try ControlSocket(path: path, mode: mode, lock: lock)
        // The new file may have the number of this one's.
        identity.withLock { $0 = nil }
        return renewed
    }

    /// Removes the file of the socket, unless it was replaced. The lock file is kept.
    func remove() {
        if isInPlace { unlink(path) }
    }

    private static func removeStaleSocket(at path: String, _ address: inout sockaddr_un) throws(ServeError) {
        guard let found = FileIdentity(path: path) else {
            guard errno == ENOENT else { throw ServeError(call: "stat", path: path, errno: errno) }
            return
        }
        guard found.isSocket else {
            throw ServeError(
                "\(path) exists and is not a socket",
                hint: "Move it away, or name another path in control.socket.", isLasting: true)
        }
        guard !isListening(&address) else {
            throw ServeError(
                "another program listens on \(path)", hint: "Stop it, or name another path in control.socket.")
        }
        guard unlink(path) == 0 else { throw ServeError(call: "unlink", path: path, errno: errno) }
    }

    private static func isListening(_ address: inout sockaddr_un) -> Bool {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let probe = Glibc.socket(AF_UNIX, kind, 0)
        guard probe >= 0 else { return true }
        defer { Glibc.close(probe) }
        // Only a refused connection shows that no process listens; a full queue (EAGAIN) or a lack of permission does
        // not.
        return with(&address) { Glibc.connect(probe, $0, $1) } == 0 || errno != ECONNREFUSED
    }

    private static func address(_ path: String) throws(ServeError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // The last byte stays 0, since the kernel reads a C string.
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard !bytes.isEmpty, bytes.count <= room, !bytes.contains(0) else {
            throw ServeError(
                "\(path): a socket's path has 1 to \(room) bytes", hint: "Choose another control.socket.")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    private static func with<Result>(
        _ address: inout sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// The file at a path. Symbolic links are not followed.
private struct FileIdentity: Equatable {
    let device: dev_t
    let inode: ino_t
    let isSocket: Bool

    /// - Returns: `nil`, with `errno` set, if there is no file.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
    }
}
