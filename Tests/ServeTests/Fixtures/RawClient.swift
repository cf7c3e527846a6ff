import Foundation
import Glibc

/// A client that sends what a test chooses, valid or not, and reads when asked to.
///
/// Its system calls block, so they run on threads of their own: the test's and the server's tasks share few.
final class RawClient: Sendable {
    struct Failure: Error { var description: String }

    private let descriptor: CInt

    static func connect(to path: String) async throws -> RawClient {
        try await onThread { try RawClient(path: path) }
    }

    private init(path: String) throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
        self.descriptor = descriptor
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure(description: "connect: \(errno)") }
        // Nothing here takes that long: a test that would hang fails.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Closes both directions, as a process does that ends.
    func leave() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// - Returns: whether all of it was taken.
    @discardableResult
    func send(_ text: String) async throws -> Bool {
        let bytes = Array(text.utf8)
        return try await onThread { [descriptor] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// What is there to read, at least one byte; empty at the end of the stream.
    func receive() async throws -> [UInt8] {
        try await onThread { [descriptor] in
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 && errno == ECONNRESET { return [] }
            guard count >= 0 else { throw Failure(description: "recv: \(String(cString: strerror(errno)))") }
            return Array(buffer.prefix(count))
        }
    }

    /// Reads to the end of the stream.
    func receiveAll() async throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let some = try await receive()
            if some.isEmpty { return all }
            all += some
        }
    }

    /// The reply on a connection that the server closes behind it.
    func reply() async throws -> RawReply { try RawReply(try await receiveAll()) }
}

private func onThread<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result<Success, any Error> { try body() }) }
    }
}
