import Foundation

/// The head of an answer, and with it where its body ends.
struct HTTPHead {
    let status: Int
    /// Whether the daemon closes the connection after this answer.
    let endsConnection: Bool
    /// `nil` when it comes in chunks.
    private let length: Int?

    init(_ connection: SocketConnection) throws {
        let first = try connection.line().split(separator: " ")
        guard first.count > 1, let status = Int(first[1]) else { throw BenchError("no HTTP: \(first)") }
        self.status = status
        var (length, endsConnection) = (Int?.none, false)
        while case let line = try connection.line().lowercased(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.last?.drop { $0 == " " }
            switch parts.first {
            case "content-length": length = value.flatMap { Int($0) }
            case "connection": endsConnection = value == "close"
            default: break
            }
        }
        (self.length, self.endsConnection) = (length, endsConnection)
    }

    /// Gives the body piece by piece.
    func readBody(_ connection: SocketConnection, _ take: (UnsafeRawBufferPointer) -> Void) throws {
        if let length { return try connection.bytes(length, take) }
        while case let size = try chunkSize(connection), size > 0 {
            try connection.bytes(size, take)
            _ = try connection.line()
        }
        // There is nothing behind the last chunk but an empty line.
        _ = try connection.line()
    }

    private func chunkSize(_ connection: SocketConnection) throws -> Int {
        let line = try connection.line()
        guard let size = Int(line, radix: 16) else { throw BenchError("no chunk: \(line)") }
        return size
    }
}
