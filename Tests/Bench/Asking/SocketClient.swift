import Foundation

/// Asks a daemon over its socket without starting a program for it, and does nothing but read: asking must not weigh on
/// what is measured. Its connection stays open between questions.
final class SocketClient {
    let path: String
    private var connection: SocketConnection?
    private var lastUse = ContinuousClock.now

    /// The daemon closes a connection that is idle for ten seconds.
    private static let idleTime = Duration.seconds(5)

    init(path: String) {
        self.path = path
    }

    func data(_ target: String) throws -> Data {
        var body = Data()
        try ask("GET", target) { body.append(contentsOf: $0) }
        return body
    }

    func json(_ target: String) throws -> [String: Any] { try Self.object(try data(target), target) }

    /// How many lines the answer has, of which none is kept.
    func lineCount(_ target: String) throws -> Int {
        var lines = 0
        try ask("GET", target) { lines += $0.lineCount }
        return lines
    }

    func post(_ target: String) throws {
        try ask("POST", target) { _ in }
    }

    func close() { connection = nil }

    private static func object(_ data: Data, _ target: String) throws -> [String: Any] {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw BenchError("\(target): the answer is no JSON object")
        }
        return object
    }

    private func ask(_ method: String, _ target: String, _ take: (UnsafeRawBufferPointer) -> Void) throws {
        let connection = try current()
        // Only one whose answer was read to its end is used again.
        self.connection = nil
        try connection.write("\(method) \(target) HTTP/1.1\r\nHost: gloss\r\nContent-Length: 0\r\n\r\n")
        let head = try HTTPHead(connection)
        guard head.status == 200 else { throw BenchError("\(target): \(head.status)") }
        try head.readBody(connection, take)
        if !head.endsConnection { (self.connection, lastUse) = (connection, .now) }
    }

    private func current() throws -> SocketConnection {
        if let connection, ContinuousClock.now - lastUse < Self.idleTime { return connection }
        return try SocketConnection(path: path)
    }
}
