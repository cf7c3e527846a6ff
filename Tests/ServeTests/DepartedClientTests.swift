import TestSupport
import API
import Foundation
import Model
import Store
import Testing

@testable import Serve

/// Clients that ask for much, and leave. Their searches would take minutes; a client here waits half a minute.
@Suite(.timeLimit(.minutes(3))) struct DepartedClientTests {
    /// Seconds for each megabyte of the payloads below.
    private static let search = "/v1/events?n=all&grep=(x|xx|xxx)*(x|xx|xxx)*y".replacing("|", with: "%7C")

    private func fill(_ server: RunningServer) async throws {
        for block in 0..<UInt64(4) {
            try await server.store.save(
                Sample.batch(block * 100 + 1...block * 100 + 100, padding: 50_000), journal: "machine")
        }
    }

    private func ask(_ server: RunningServer, _ path: String) async throws -> RawClient {
        let client = try await server.connect()
        try await client.send("GET \(path) HTTP/1.1\r\nHost: gloss\r\n\r\n")
        return client
    }

    @Test func `searches end with their clients`() async throws {
        try await withServer { server in
            try await fill(server)
            for _ in 0..<100 {
                let client = try await ask(server, Self.search)
                try await Task.sleep(for: .milliseconds(20))
                client.leave()
            }
            #expect(try await server.get("/v1/status").status == 200)
            // A search that starts now waits for none of them.
            #expect(try await server.get("/v1/events?n=1&grep=y").status == 200)
        }
    }

    @Test func `while others search, status, metrics, delivery and queries that need no search go on`() async throws {
        try await withServer { server in
            try await fill(server)
            var clients: [RawClient] = []
            for _ in 0..<30 { clients.append(try await ask(server, Self.search)) }
            #expect(try await server.get("/v1/status").status == 200)
            #expect(try await server.get("/metrics").status == 200)
            #expect(try await server.get("/v1/events?n=1").status == 200)
            let start = ContinuousClock.now
            let page = try await server.store.events(
                matching: .everything, after: 0, before: nil, limit: 1, on: .delivery)
            #expect(page.events.count == 1 && ContinuousClock.now - start < .seconds(30))
            for client in clients { client.leave() }
        }
    }

    @Test func `a report that reads events ends with its client`() async throws {
        try await withServer { server in
            try await fill(server)
            let report = Self.search.replacing("events?n=all&", with: "reports/violations?")
            for _ in 0..<30 {
                let client = try await ask(server, report)
                try await Task.sleep(for: .milliseconds(20))
                client.leave()
            }
            #expect(try await server.get("/v1/events?n=1&grep=y").status == 200)
        }
    }

    @Test func `tails that search give their places back when their clients leave`() async throws {
        try await withServer(maximumTails: 8) { server in
            try await fill(server)
            let tail = Self.search.replacing("n=all", with: "follow=true&n=10")
            for _ in 0..<8 {
                let client = try await ask(server, tail)
                _ = try await client.receive()
                client.leave()
            }
            #expect(try await eventually { server.daemon.tails.last == 0 })
            let next = try await TailClient(server)
            #expect(try await next.status() == 200)
        }
    }
}
