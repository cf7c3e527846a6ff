import Model
import NIOHTTP1
import Testing

@testable import Forward

/// One attempt at a time, against real servers on loopback.
@Suite(.timeLimit(.minutes(1))) struct HTTPUpstreamTests {
    private let batch = FrozenBatch(
        sink: "upstream", key: "0123456789abcdef0123456789abcdef", body: Array("{\"id\":1}\n".utf8),
        contentEncoding: nil,
        firstEventID: 1, lastEventID: 1, eventCount: 1)

    private func attempt(
        _ url: String, batch: FrozenBatch? = nil, _ change: (inout SinkOptions) -> Void = { _ in }
    ) async throws -> AttemptResult {
        let upstream = try HTTPUpstream(.sample(url: url, change), userAgent: "gloss/1.0")
        let result = await upstream.send(batch ?? self.batch)
        upstream.close()
        return result
    }

    private func reason(_ result: AttemptResult) -> String? {
        guard case .unanswered(let reason) = result else { return nil }
        return reason
    }

    @Test func `the request has the bytes, their length, the key and who sends it`() async throws {
        let server = try await LoopbackServer.start(.status(200))
        let result = try await attempt(server.url) { $0.headers = ["X-Tenant": "shop"] }
        await server.stop()
        #expect(result == .status(200))
        let request = try #require(server.requests.first)
        #expect(request.head.method == .POST)
        #expect(request.head.uri == "/ingest")
        #expect(request.body == batch.body)
        #expect(request.header("Content-Length") == "\(batch.body.count)")
        #expect(request.header("Content-Type") == "application/x-ndjson")
        #expect(request.header("Idempotency-Key") == batch.key)
        #expect(request.header("User-Agent") == "gloss/1.0")
        #expect(request.header("X-Tenant") == "shop")
        #expect(request.header("Host") == "127.0.0.1:\(server.port)")
        for name in ["Content-Encoding", "Authorization", "Transfer-Encoding"] { #expect(request.header(name) == nil) }
    }

    @Test func `a compressed body says so, and its length is the compressed one`() async throws {
        let server = try await LoopbackServer.start(.status(200))
        let lines = Array(repeating: Array("{\"id\":1}\n".utf8), count: 10_000).flatMap { $0 }
        var batch = self.batch
        batch.body = try #require(Compressor.compress(lines, .gzip))
        batch.contentEncoding = "gzip"
        _ = try await attempt(server.url, batch: batch)
        await server.stop()
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == "gzip")
        #expect(request.header("Content-Length") == "\(batch.body.count)")
        #expect(try inflate(request.body, windowBits: 31, room: 100_000) == lines)
    }

    @Test func `a megabyte arrives whole`() async throws {
        let server = try await LoopbackServer.start(.status(200))
        var batch = self.batch
        batch.body = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try await attempt(server.url, batch: batch)
        await server.stop()
        #expect(server.requests.first?.body == batch.body)
    }

    @Test func `the token is read for each attempt, and a missing file sends nothing`() async throws {
        try await withTemporaryFolder { folder in
            let server = try await LoopbackServer.start(.status(200))
            let path = try folder.write("token", "first\n")
            let upstream = try HTTPUpstream(.sample(url: server.url) { $0.tokenFile = path }, userAgent: "gloss/1.0")
            _ = await upstream.send(batch)
            _ = try folder.write("token", "second")
            _ = await upstream.send(batch)
            #expect(server.requests.map { $0.header("Authorization") } == ["Bearer first", "Bearer second"])

            _ = try folder.write("token", "")
            let result = await upstream.send(batch)
            upstream.close()
            await server.stop()
            #expect(result == .notSent(reason: "the token file \(path) is empty"))
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("1000000000", .seconds(3600)), ("-1", nil), ("garbage", nil),
        ("Fri, 31 Dec 2100 23:59:59 GMT", .seconds(3600)), ("Fri, 31 Dec 1999 23:59:59 GMT", .zero),
    ])
    func `Retry-After is honoured, clamped or ignored`(text: String, expected: Duration?) async throws {
        let server = try await LoopbackServer.start(.status(503, headers: [("Retry-After", text)], body: "busy\n"))
        let result = try await attempt(server.url)
        await server.stop()
        #expect(result == .answered(status: 503, retryAfter: expected, excerpt: "busy"))
        #expect(result.reason == "the upstream answered 503 Service Unavailable: busy")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is not followed, and credentials go nowhere else`(status: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("token", "secret")
            let other = try await LoopbackServer.start(.status(200))
            let server = try await LoopbackServer.start(.status(status, headers: [("Location", other.url)]))
            let result = try await attempt(server.url) { $0.tokenFile = path }
            await server.stop()
            await other.stop()
            #expect(result == .answered(status: status, retryAfter: nil, excerpt: "Location: \(other.url)"))
            #expect(Verdict(result) == .hold)
            #expect(other.requests.isEmpty)
        }
    }

    @Test func `the query of the URL, which may have a key, is not in what is shown`() async throws {
        let key = "?key=S3CR3T-0123456789"
        let replies: [(LoopbackServer.Reply, AttemptResult)] = [
            (
                .status(301, headers: [("Location", "https://other.example/ingest\(key)")]),
                .answered(status: 301, retryAfter: nil, excerpt: "Location: https://other.example/ingest")
            ),
            (
                .status(404, body: "nothing at /ingest\(key) here"),
                .answered(status: 404, retryAfter: nil, excerpt: ReplyExcerpt.hidden)
            ),
        ]
        for (reply, expected) in replies {
            let server = try await LoopbackServer.start(reply)
            let result = try await attempt("\(server.url)ingest\(key)") { _ in }
            await server.stop()
            #expect(result == expected)
        }
    }

    @Test func `of a reply with the token, nothing is shown`() async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("token", "secret-token")
            let server = try await LoopbackServer.start(.status(401, body: "Bearer secret-token is\u{1B}[2J unknown"))
            let result = try await attempt(server.url) { $0.tokenFile = path }
            await server.stop()
            #expect(result == .answered(status: 401, retryAfter: nil, excerpt: ReplyExcerpt.hidden))
        }
    }

    @Test(arguments: [0, 200, 230, 245, 255, 65_500, 65_530, 65_535])
    func `a token is found wherever in the reply it stands`(offset: Int) async throws {
        try await withTemporaryFolder { folder in
            let token = "s3cr3t+/" + String(repeating: "x", count: 60)
            let path = try folder.write("token", token)
            // Spaces, so that whatever is far behind would be shown.
            let echo = token.replacing("/", with: "\\/").replacing("+", with: "\\u002b")
            let body = String(repeating: " ", count: offset) + "\"\(echo)\"" + String(repeating: " ", count: 70_000)
            let server = try await LoopbackServer.start(.status(401, body: body))
            let result = try await attempt(server.url) { $0.tokenFile = path }
            await server.stop()
            guard case .answered(status: 401, _, let excerpt) = result else {
                Issue.record("\(result)")
                return
            }
            // Of one that is cut, fewer than 8 characters may be shown.
            let isShort = offset > 65_500 && "\"\(echo)".prefix(14).hasPrefix(excerpt)
            #expect(excerpt == ReplyExcerpt.hidden || isShort, "\(excerpt)")
        }
    }

    @Test func `no more than a little of a reply of 100 MB is read, and its status counts`() async throws {
        let server = try await LoopbackServer.start(.huge)
        let result = try await attempt(server.url)
        guard case .answered(status: 200, _, let excerpt) = result else {
            Issue.record("\(result)")
            return
        }
        await server.stop()
        #expect(excerpt.count <= 201)
        // What the sockets' buffers take besides the 64 KiB that are read.
        #expect(server.bytesWritten < 20_000_000)
    }

    @Test(arguments: [LoopbackServer.Reply.silence, .headOnly])
    func `a reply that is not complete in time is no answer`(reply: LoopbackServer.Reply) async throws {
        let server = try await LoopbackServer.start(reply)
        let result = try await attempt(server.url) { $0.timeout = .milliseconds(300) }
        await server.stop()
        #expect(reason(result) == "127.0.0.1:\(server.port): no complete answer in time")
    }

    @Test(arguments: [LoopbackServer.Reply.close, .cutShort])
    func `a connection that closes before the end of the reply is no answer`(reply: LoopbackServer.Reply) async throws {
        let server = try await LoopbackServer.start(reply)
        let result = try await attempt(server.url)
        await server.stop()
        #expect(reason(result) == "127.0.0.1:\(server.port): the connection was closed before the answer was complete")
        #expect(server.requests.count == 1)
    }

    @Test func `a refused connection is reported at once, in words`() async throws {
        let reserved = try ReservedPort()
        let result = try await attempt("http://127.0.0.1:\(reserved.port)/")
        #expect(reason(result) == "127.0.0.1:\(reserved.port): connection refused")
        let named = try await attempt("http://localhost:\(reserved.port)/")
        #expect(reason(named) == "localhost:\(reserved.port): connection refused")
        _ = try await LoopbackServer.start(.silence, on: reserved).stop()
    }

    @Test func `a name that does not resolve is reported in words`() async throws {
        let result = try await attempt("http://no-such-host.invalid/")
        #expect(reason(result) == "no-such-host.invalid:80: the name cannot be resolved (DNS)")
    }

    @Test func `cancelling ends an attempt`() async throws {
        let server = try await LoopbackServer.start(.silence)
        let options = SinkOptions.sample(url: server.url) { $0.timeout = .seconds(600) }
        let upstream = try HTTPUpstream(options, userAgent: "gloss/1.0")
        let task = Task { await upstream.send(batch) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        #expect(await task.value != .status(200))
        upstream.close()
        await server.stop()
    }

    @Test
    func `stopping does not wait for a server that does not even take the connection`() async throws {
        let full = try ReservedPort.full()
        let store = MemoryStore(sampleEvents(1...3))
        let options = SinkOptions.sample(url: "http://127.0.0.1:\(full.port)/") {
            $0.timeout = .seconds(600)
            $0.maximumBatchAge = .zero
        }
        let run = SinkRun(options, store: store, record: store.record)
        await run.run { _ in
            while store.frozen == nil { await Task.yield() }
            // Long enough, usually, for the connection to be under way; the test holds without it too.
            try? await Task.sleep(for: .milliseconds(50))
        }
        #expect(store.frozen?.lastEventID == 3)
    }
}
