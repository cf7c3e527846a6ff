import Glibc

/// A connection to a Unix socket, read through a buffer of 256 KiB.
final class SocketConnection {
    private let descriptor: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    /// What of the buffer has been received and not taken yet.
    private var received = 0..<0

    /// After which an answer that does not go on is given up.
    private static let patience = timeval(tv_sec: 60, tv_usec: 0)

    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw BenchError("socket: errno \(errno)") }
        var patience = Self.patience
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard Self.connect(descriptor, path) else { throw BenchError("nobody listens on \(path)") }
    }

    deinit {
        close(descriptor)
        buffer.deallocate()
    }

    private static func connect(_ descriptor: Int32, _ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    func write(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw BenchError("send: errno \(errno)")
        }
    }

    /// A line without its end, which is CR and LF.
    func line() throws -> String {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            try bytes(1) { line.append($0[0]) }
        }
        return String(decoding: line.dropLast(2), as: UTF8.self)
    }

    /// Gives so many, piece by piece.
    func bytes(_ count: Int, _ take: (UnsafeRawBufferPointer) -> Void) throws {
        var left = count
        while left > 0 {
            if received.isEmpty { try receive() }
            let piece = received.prefix(left)
            take(UnsafeRawBufferPointer(rebasing: buffer[piece]))
            received = piece.upperBound..<received.upperBound
            left -= piece.count
        }
    }

    private func receive() throws {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        guard count > 0 else { throw BenchError(count == 0 ? "the answer ended early" : "recv: errno \(errno)") }
        received = 0..<count
    }
}
