import CLinux
import Glibc
import Linux

/// A Unix datagram socket that sends to one path.
final class DatagramSocket: Sendable {
    private let path: String
    private let address: sockaddr_un
    private let descriptor: Int32

    /// - Parameter patience: how long a send waits for a receiver whose queue is full.
    init(path: String, patience: Duration) throws(EmitError) {
        self.path = path
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else {
            throw EmitError.system(call: "connect", path: path, errno: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw EmitError.system(call: "socket", path: path, errno: errno) }
        // As sd_journal_send does. The kernel may allow less; larger messages are sent in a sealed file.
        var size: Int32 = 8 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let microseconds = Int(patience / .microseconds(1))
        var time = timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends a message. Blocks while the receiver's queue is full, as long as it has patience. A message that is too
    /// large for a datagram is sent as a sealed file.
    func send(_ message: [UInt8]) throws(EmitError) {
        switch transmit(message) {
        case 0: return
        case EMSGSIZE, ENOBUFS: try sendInFile(message)
        case let errno: throw failure(errno)
        }
    }

    private func sendInFile(_ message: [UInt8]) throws(EmitError) {
        let file = try SealedFile.holding(message)
        let status = transmit([], passing: file.descriptor)
        guard status == 0 else { throw failure(status) }
    }

    /// - Returns: 0 or an errno value.
    private func transmit(_ message: [UInt8], passing file: Int32? = nil) -> Int32 {
        var address = address
        var passed = PassedDescriptor(file ?? -1)
        return message.withUnsafeBytes { bytes in
            withUnsafeMutableBytes(of: &passed) { passed in
                withUnsafeMutablePointer(to: &address) { address in
                    let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                    var part = iovec(iov_base: start, iov_len: bytes.count)
                    return withUnsafeMutablePointer(to: &part) { part in
                        var header = msghdr()
                        header.msg_name = UnsafeMutableRawPointer(address)
                        header.msg_namelen = socklen_t(MemoryLayout<sockaddr_un>.size)
                        if file != nil {
                            header.msg_control = passed.baseAddress
                            header.msg_controllen = passed.count
                        } else {
                            header.msg_iov = part
                            header.msg_iovlen = 1
                        }
                        while sendmsg(descriptor, &header, Int32(MSG_NOSIGNAL)) < 0 {
                            if errno != EINTR { return errno }
                        }
                        return 0
                    }
                }
            }
        }
    }

    private func failure(_ errno: Int32) -> EmitError {
        switch errno {
        case ENOENT, ENOTDIR, ECONNREFUSED: .noJournal(path: path)
        default: .system(call: "sendmsg", path: path, errno: errno)
        }
    }
}

/// The control message that passes a file descriptor to the receiver, in the layout of the CMSG macros.
/// - Source: unix(7), "SCM_RIGHTS"; cmsg(3)
private struct PassedDescriptor {
    private var header = cmsghdr()
    private let descriptor: Int32
    private let padding: Int32 = 0

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        header.cmsg_len = MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
        header.cmsg_level = SOL_SOCKET
        header.cmsg_type = Int32(SCM_RIGHTS)
    }
}

/// A file in memory that can no longer be changed. journald maps it without copying.
/// - Source: memfd_create(2); fcntl(2), "File Sealing"
struct SealedFile: ~Copyable {
    let descriptor: Int32

    /// - Throws: `EmitError.system`, for example when there is not enough memory.
    static func holding(_ bytes: [UInt8]) throws(EmitError) -> SealedFile {
        let file = SealedFile(descriptor: memfd_create("journal-entry", closeOnExec | allowSealing))
        guard file.descriptor >= 0 else { throw failure("memfd_create", errno) }
        let code = writeAll(bytes, to: file.descriptor)
        guard code == 0 else { throw failure("write", code) }
        guard fcntl(file.descriptor, addSeals, allSeals) == 0 else { throw failure("fcntl F_ADD_SEALS", errno) }
        return file
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    // GNU extensions, which the Glibc module does not have.
    private static let closeOnExec: UInt32 = 1
    private static let allowSealing: UInt32 = 2
    private static let addSeals: Int32 = 1033
    /// Seals that forbid further seals, shrinking, growing and writing.
    private static let allSeals: Int32 = 0xF

    private static func failure(_ call: String, _ errno: Int32) -> EmitError {
        .system(call: call, path: "for a large entry", errno: errno)
    }
}
