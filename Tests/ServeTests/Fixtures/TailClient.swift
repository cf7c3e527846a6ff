import API

/// A client of `GET /v1/events?follow=true` that reads line by line.
final class TailClient {
    let client: RawClient
    private var received: [UInt8] = []

    init(_ server: RunningServer, _ query: String = "n=0") async throws {
        client = try await server.connect()
        try await client.send("GET /v1/events?follow=true&\(query) HTTP/1.1\r\nHost: gloss\r\n\r\n")
    }

    /// Waits until more has come.
    func receive() async throws {
        let some = try await client.receive()
        guard !some.isEmpty else { throw RawClient.Failure(description: "the tail ended early") }
        received += some
    }

    /// The first lines; waits until there are that many.
    func lines(_ count: Int) async throws -> [StreamLine] {
        while true {
            // The last line may not have come to its end.
            if let reply = try? RawReply(received), reply.body.count(where: { $0 == UInt8(ascii: "\n") }) >= count {
                return try reply.lines.prefix(count).map { try StreamLine.parse(Array($0.utf8)) }
            }
            try await receive()
        }
    }

    /// All lines up to a short event; waits for it.
    func lines(throughEvent id: Int64) async throws -> [StreamLine] {
        while true {
            try await receive()
            // Taking all of it apart for each piece would take long.
            guard String(decoding: received.suffix(4096), as: UTF8.self).contains("\"id\":\(id),") else { continue }
            guard let lines = try? RawReply(received).lines, let last = lines.last else { continue }
            guard (try? StreamLine.parse(Array(last.utf8)))?.summary == "event \(id)" else { continue }
            return try lines.map { try StreamLine.parse(Array($0.utf8)) }
        }
    }

    /// Everything until the server closes the connection or the body ends.
    func rest() async throws -> RawReply {
        while true {
            if let reply = try? RawReply(received), reply.isComplete { return reply }
            let some = try await client.receive()
            if some.isEmpty { return try RawReply(received) }
            received += some
        }
    }

    func status() async throws -> Int {
        while (try? RawReply(received)) == nil {
            try await receive()
        }
        return try RawReply(received).status
    }
}

extension StreamLine {
    /// What matters in most tests: `event 3`, `gap behind 2`, `missed 10`, `late 10`.
    var summary: String {
        switch self {
        case .event(let event): "event \(event.id)"
        case .gap(let gap): "gap behind \(gap.after)"
        case .missed(let count): "missed \(count)"
        case .late(let count): "late \(count)"
        case .error(let problem): "error \(problem.title)"
        case .other: "other"
        }
    }
}

extension RawReply {
    func summaries() throws -> [String] {
        try lines.map { try StreamLine.parse(Array($0.utf8)).summary }
    }
}

/// Waits until something holds that another task brings about.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    while clock.now < end {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return false
}
