import Foundation
import Glibc
import Synchronization

/// A daemon whose answers a test chooses, over a real Unix socket.
final class FakeDaemon: Sendable {
    struct Request: Sendable, Equatable {
        var method: String
        /// Path and query.
        var target: String

        /// The target without the members that events should have, which are the last parameter.
        var question: String {
            let parts = target.split(separator: "members=", maxSplits: 1)
            return String(parts.count == 2 ? parts[0].dropLast() : parts[0])
        }
    }

    enum Reply: Sendable {
        case document([UInt8], status: Int = 200, type: String = "application/json")
        /// Lines one by one, each its own piece; then the stream ends as it should, or breaks off.
        case lines([[UInt8]], breaksOff: Bool = false)
        /// Lines, and then the beginning of one, with which the connection ends.
        case cut([[UInt8]], [UInt8])
        /// Lines, and then nothing for some seconds, with which the connection ends.
        case quiet([[UInt8]], seconds: Double)
        /// The head of a document, and then nothing for some seconds, with which the connection ends.
        case quietDocument(status: Int, type: String, seconds: Double)
        /// Lines, and then nothing until the client leaves.
        case endless([[UInt8]])
        /// Something else, with which the connection ends.
        case foreign(String)

        static func problem(_ status: Int, _ detail: String) -> Reply {
            .document(
                Array(#"{"type":"about:blank","title":"No","status":\#(status),"detail":"\#(detail)"}"#.utf8),
                status: status, type: "application/problem+json")
        }
    }

    let socket: String
    private let folder: URL
    private let listener: Int32
    private let seen = Mutex<[Request]>([])
    private let answer: @Sendable (Request) -> Reply

    /// What was asked so far.
    var requests: [Request] { seen.withLock { $0 } }

    init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "gloss-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        socket = folder.appending(path: "s").path(percentEncoded: false)
        self.answer = answer
        listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listener, 16) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EINVAL) }
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// Ends listening and removes the socket.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        try? FileManager.default.removeItem(at: folder)
    }

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            Thread.detachNewThread { [self] in serve(connection) }
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var received: [UInt8] = []
        while let request = nextRequest(connection, &received) {
            seen.withLock { $0.append(request) }
            guard send(answer(request), to: connection) else { return }
        }
    }

    private func nextRequest(_ connection: Int32, _ received: inout [UInt8]) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = received.firstRange(of: end) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received.removeSubrange(..<range.upperBound)
                let words = head.split(separator: " ")
                return Request(method: String(words[0]), target: String(words[1]))
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            received += buffer[..<count]
        }
    }

    /// - Returns: whether the connection can go on.
    private func send(_ reply: Reply, to connection: Int32) -> Bool {
        switch reply {
        case .document(let body, let status, let type):
            let head = "HTTP/1.1 \(status) X\r\ncontent-type: \(type)\r\ncontent-length: \(body.count)\r\n\r\n"
            return write(Array(head.utf8) + body, to: connection)
        case .lines(let lines, let breaksOff):
            guard writeChunks(lines, to: connection), !breaksOff else { return false }
            return write(Array("0\r\n\r\n".utf8), to: connection)
        case .cut(let lines, let beginning):
            guard writeChunks(lines, to: connection) else { return false }
            _ = write(Array("\(String(beginning.count, radix: 16))\r\n".utf8) + beginning, to: connection)
            return false
        case .quiet(let lines, let seconds):
            if writeChunks(lines, to: connection) { Thread.sleep(forTimeInterval: seconds) }
            return false
        case .quietDocument(let status, let type, let seconds):
            let head = "HTTP/1.1 \(status) X\r\ncontent-type: \(type)\r\ncontent-length: 99\r\n\r\n"
            if write(Array(head.utf8), to: connection) { Thread.sleep(forTimeInterval: seconds) }
            return false
        case .endless(let lines):
            var byte: UInt8 = 0
            if writeChunks(lines, to: connection) { while read(connection, &byte, 1) > 0 {} }
            return false
        case .foreign(let text):
            _ = write(Array(text.utf8), to: connection)
            return false
        }
    }

    private func writeChunks(_ lines: [[UInt8]], to connection: Int32) -> Bool {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
        guard write(Array(head.utf8), to: connection) else { return false }
        return lines.allSatisfy { line in
            write(Array("\(String(line.count + 1, radix: 16))\r\n".utf8) + line + Array("\n\r\n".utf8), to: connection)
        }
    }

    private func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
