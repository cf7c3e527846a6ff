import Model
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Forward

/// Answers with random mistakes.
@Suite(.timeLimit(.minutes(15))) struct HostileUpstreamFuzzTests {
    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Request-Id: 12\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1f;x=y\r\nabcdefghijklmnopqrstuvwxyz01234\r\n0\r\nX: y\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nDate: Sat, 21 Nov 2026 00:00:00 GMT\r\n\r\n",
        "HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Encoding: gzip\r\n\r\n\u{1F}\u{8}\u{0}",
        "HTTP/1.1 302 Found\r\nLocation: https://example.com/\r\nContent-Length: 0\r\n\r\n",
    ]

    private static let pieces = [
        "\r\n", "\r\n\r\n", "\n", "\r", "\u{0}", ":", " ", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 000 x\r\n\r\n",
        "HTTP/1.1 099",
        "Content-Length: 0\r\n", "Content-Length: 99999999999999999999\r\n", "Transfer-Encoding: chunked\r\n",
        "0\r\n\r\n",
        "Connection: upgrade\r\nUpgrade: x\r\n", "ffffffffffffffff\r\n", "-1", "Expect: 100-continue\r\n", "\u{85}",
    ]

    private func mutated(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = Array((Self.answers.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let at = Int.random(in: 0...bytes.count, using: &random)
            let end = Int.random(in: at...min(bytes.count, at + 12), using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(at..<end)
            case 1: bytes.insert(contentsOf: bytes[at..<end], at: at)
            case 2: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &random) ?? "").utf8, at: at)
            case 3: if at < bytes.count { bytes[at] = UInt8.random(in: 0...255, using: &random) }
            case 4: if at < bytes.count { bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random) }
            default: bytes += Array((Self.answers.randomElement(using: &random) ?? "").utf8)
            }
        }
        return bytes
    }

    /// In up to three segments; then mostly the end, as otherwise most attempts would take all of their time.
    private func steps(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [RawServer.Step] {
        var steps: [RawServer.Step] = []
        var rest = bytes[...]
        for _ in 0..<Int.random(in: 0...2, using: &random) where !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &random)
            steps += [.send(Array(rest.prefix(count))), .pause(.milliseconds(Int64.random(in: 0...3, using: &random)))]
            rest = rest.dropFirst(count)
        }
        if !rest.isEmpty { steps.append(.send(Array(rest))) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: break
        case 2: steps.append(.reset)
        case 3: steps.append(.halfClose)
        default: steps.append(.close)
        }
        return steps
    }

    /// One connection's client makes ten attempts for each seed.
    @Test func `no answer ends the process, and none is a success that does not say so`() async throws {
        for seed in FuzzBudget.seeds(60) {
            let sent = Mutex<[UInt8]>([])
            let random = Mutex(SeededGenerator(seed: seed))
            let next: @Sendable (Int) -> [RawServer.Step] = { _ in
                random.withLock { random in
                    let bytes = mutated(&random)
                    sent.withLock { $0 = bytes }
                    return steps(bytes, &random)
                }
            }
            try await RawServer.with(next) { server in
                let upstream = try HTTPUpstream(
                    .sample(url: server.url) { $0.timeout = .milliseconds(150) }, userAgent: "gloss/1.0")
                for attempt in 0..<10 {
                    sent.withLock { $0 = [] }
                    let result = await upstream.send(
                        FrozenBatch(
                            sink: "upstream", key: "k", body: [0x0A], contentEncoding: nil, firstEventID: 1,
                            lastEventID: 1, eventCount: 1))
                    guard Verdict(result) == .done else { continue }
                    let answer = String(decoding: sent.withLock { $0 }, as: UTF8.self)
                    #expect(
                        answer.contains(#/HTTP/1\.[0-9] +2[0-9][0-9]/#), "seed \(seed), attempt \(attempt): \(result)")
                }
                upstream.close()
            }
        }
    }
}
