import TestSupport
import API
import Foundation
import Model
import Store
import Testing

@testable import Serve

/// Clients that do what no client should.
struct UnrulyClientTests {
    @Test(arguments: [
        "", "GET /v1/status HTT", "GET /v1/status HTTP/1.1\r\nHost: gloss\r\n",
        "POST /v1/reload HTTP/1.1\r\nHost: gloss\r\nContent-Length: 100\r\n\r\nabc",
    ])
    func `half a request is not waited for`(request: String) async throws {
        try await withServer(limits: impatient) { server in
            let client = try await server.connect()
            try await client.send(request)
            // It ends: with an answer or without, but it does not hang.
            _ = try await client.receiveAll()
            #expect(try await answers(server))
        }
    }

    @Test(arguments: [
        "Content-Length: 9\r\n\r\nabc", "Content-Length: 3\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nab",
        "\r\nGET /v1/gaps HTTP/1.1\r\nHost: gloss\r\n\r\n", "\r\nGET /v1/gaps HT", "\r\nNONSENSE\r\n\r\n",
    ])
    func `a tail's client that sends more, or leaves in the middle of it, does no harm`(more: String) async throws {
        try await withServer { server in
            for _ in 0..<5 {
                let client = try await server.connect()
                try await client.send("GET /v1/events?follow=true&n=0 HTTP/1.1\r\nHost: gloss\r\n\(more)")
                client.leave()
            }
            // A client that asks again during its tail is noticed at the next line.
            #expect(
                try await eventually {
                    try await server.store.save(Sample.batch(1...100), journal: "machine")
                    return try await server.get("/v1/gaps").status == 200 && server.daemon.tails.last ?? 0 == 0
                })
        }
    }

    @Test func `a body that trickles for ever is cut off`() async throws {
        var limits = ControlLimits()
        limits.bodyTime = .milliseconds(200)
        try await withServer(limits: limits) { server in
            let client = try await server.connect()
            try await client.send("POST /v1/reload HTTP/1.1\r\nHost: gloss\r\nContent-Length: 60000\r\n\r\n")
            while try await client.send("x") { try await Task.sleep(for: .milliseconds(20)) }
            #expect(try await server.get("/v1/gaps").status == 200)
        }
    }

    @Test func `a huge body that is announced is refused, and the connection ends`() async throws {
        try await withServer { server in
            let client = try await server.connect()
            try await client.send("POST /v1/reload HTTP/1.1\r\nHost: gloss\r\nContent-Length: 4294967296\r\n\r\n")
            #expect(try await client.reply().status == 413)
        }
    }

    @Test func `a huge body in chunks is refused, and is not read on`() async throws {
        try await withServer { server in
            let client = try await server.connect()
            try await client.send("POST /v1/reload HTTP/1.1\r\nHost: gloss\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "10000\r\n" + String(repeating: "x", count: 0x10000) + "\r\n"
            var sent = 0
            // Far more than the limit and all buffers on the way, and yet it comes to an end.
            while sent < 10_000, try await client.send(chunk) { sent += 1 }
            #expect(sent < 100)
            #expect(try await client.reply().status == 413)
        }
    }

    @Test func `a thousand idle clients do not lock others out`() async throws {
        var limits = ControlLimits()
        limits.maximumConnections = 64
        try await withServer(limits: limits) { server in
            let tail = try await TailClient(server)
            #expect(try await tail.status() == 200)
            var idle: [RawClient] = []
            for _ in 0..<1000 {
                idle.append(try await server.connect())
                // The oldest are closed by the server; ours go too, so that this process has descriptors left.
                if idle.count > 200 { idle.removeFirst() }
            }
            #expect(try await server.get("/v1/gaps").status == 200)
            // Who is being served is not what makes room.
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            #expect(try await tail.lines(1).map(\.summary) == ["event 1"])
        }
    }

    @Test func `clients that come while the server stops do not end the process`() async throws {
        for _ in 0..<40 {
            try await withServer { server in
                let socket = server.socket
                let coming = Task.detached {
                    // They come faster than they are accepted.
                    var clients: [RawClient] = []
                    for _ in 0..<300 {
                        guard let client = try? await RawClient.connect(to: socket) else { break }
                        clients.append(client)
                    }
                }
                try await Task.sleep(for: .milliseconds(3))
                await server.stop()
                await coming.value
            }
        }
    }

    @Test func `idle clients are closed`() async throws {
        try await withServer(limits: impatient) { server in
            let client = try await server.connect()
            #expect(try await client.receiveAll().isEmpty)
        }
    }

    @Test func `a tail that never reads is cut off`() async throws {
        var limits = ControlLimits()
        limits.writeTime = .milliseconds(300)
        try await withServer(limits: limits, maximumTailLag: 1_000_000) { server in
            try await server.store.save(Sample.batch(1...500, padding: 10_000), journal: "machine")
            let tail = try await TailClient(server, "n=1000")
            #expect(try await eventually { server.daemon.tails == [1, 0] })
            let rest = try await tail.client.receiveAll()
            #expect(rest.count < 1 << 20)
            let reply = try await server.get("/v1/gaps")
            #expect(reply.status == 200)
        }
    }

    @Test func `a query whose client never reads is cut off, and one that reads gets everything`() async throws {
        var limits = ControlLimits()
        // The client that reads does not pause for so long, also on a slow machine.
        limits.writeTime = .seconds(5)
        try await withServer(limits: limits) { server in
            for block in 0..<UInt64(10) {
                try await server.store.save(
                    Sample.batch(block * 100 + 1...block * 100 + 100, padding: 10_000), journal: "machine")
            }
            let idle = try await server.connect()
            try await idle.send("GET /v1/events?n=all HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\r\n")
            let whole = try await server.get("/v1/events?n=all")
            #expect(whole.isComplete)
            #expect(whole.lines.count == 1000)
            // A reply is counted when it has ended: if the idle client read before, its reply would go on.
            let replies = "gloss_http_request_duration_seconds_count{route=\"\(APIPath.events)\",status=\"2xx\"}"
            #expect(try await eventually { try await server.scrape()[series: replies] == 2 })
            let rest = try await idle.reply()
            #expect(!rest.isComplete)
        }
    }

    @Test func `a client that reads slowly gets everything`() async throws {
        // All of it, which is written at once, takes 6 s, longer than the limit; what the kernel holds does not.
        let bytes = try await slowReply(gapBytes: 4000, limit: .seconds(5))
        let reply = try RawReply(bytes)
        #expect(reply.body.count > 4_000_000 && reply.headers["content-length"] == "\(reply.body.count)")
    }

    @Test func `a client that takes very long for a large reply is cut off, also while it reads`() async throws {
        // All of it takes 6 s, and may take 4 s.
        let bytes = try await slowReply(gapBytes: 4000, limit: .milliseconds(500))
        #expect(bytes.count < 4_000_000)
    }

    /// What a client gets of 1,000 gaps that reads at most 640 KB/s of them.
    private func slowReply(gapBytes: Int, limit: Duration) async throws -> [UInt8] {
        var limits = ControlLimits()
        limits.writeTime = limit
        return try await withServer(limits: limits) { server in
            let message = String(repeating: "x", count: gapBytes)
            try await server.store.save(
                Sample.batch(1...1, gaps: (0..<1000).map { Sample.gap("\($0)" + message) }), journal: "machine")
            let client = try await server.connect()
            try await client.send("GET /v1/gaps HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\r\n")
            var bytes: [UInt8] = []
            while true {
                let some = try await client.receive()
                if some.isEmpty { return bytes }
                bytes += some
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    @Test(arguments: [
        "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /v1/status HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST /v1/reload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
    ])
    func `what is not HTTP ends the connection and nothing else`(request: String) async throws {
        try await withServer(limits: impatient) { server in
            let client = try await server.connect()
            try await client.send(request)
            _ = try await client.receiveAll()
            #expect(try await answers(server))
        }
    }

    private var impatient: ControlLimits {
        var limits = ControlLimits()
        limits.idleTime = .milliseconds(500)
        limits.bodyTime = .milliseconds(500)
        return limits
    }

    /// Whether a well-behaved client is served; on a busy machine it may be too slow for an impatient server once.
    private func answers(_ server: RunningServer) async throws -> Bool {
        try await eventually { (try? await server.get("/v1/gaps"))?.status == 200 }
    }
}
