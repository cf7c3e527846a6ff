import TestSupport
import API
import Foundation
import Model
import Testing

@testable import Serve

@Suite(.timeLimit(.minutes(1))) struct VerificationTests {
    private func lines(_ reply: RawReply) throws -> [VerificationLine] {
        try reply.lines.map { try VerificationLine.parse(Array($0.utf8)) }
    }

    private func found(stored: Int64, unexplained: Int64 = 0) -> JournalVerification {
        var found = JournalVerification()
        (found.stored, found.unexplained) = (stored, unexplained)
        return found
    }

    @Test func `a verification says how far it is, and at its end what it has found`() async throws {
        var limits = ControlLimits()
        limits.progressTime = .zero
        try await withServer(limits: limits) { server in
            var result = found(stored: 7, unexplained: 1)
            result.examples = ["not in the store: s=1"]
            let steps = [found(stored: 3), found(stored: 7)]
            server.daemon.set(verification: .init(steps: steps, result: .success(result)))
            let reply = try await server.get("/v1/verify?since=2026-11-21T01:00:00Z")
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "application/x-ndjson")
            #expect(
                try lines(reply) == [
                    .progress(percent: 50, steps[0]), .progress(percent: 100, steps[1]), .result(result),
                ])
            let beginning = #"{"type":"verification","whole":false,"entries":8,"stored":7,"#
            #expect(reply.lines.last?.hasPrefix(beginning) == true)
            #expect(server.daemon.verifiedSince == [Sample.start])
            _ = try await server.get("/v1/verify")
            #expect(server.daemon.verifiedSince == [Sample.start, 0])
        }
    }

    @Test func `progress is reported no more than once a second`() async throws {
        try await withServer { server in
            server.daemon.set(
                verification: .init(
                    steps: (0..<1000).map { found(stored: $0) }, result: .success(found(stored: 1000))))
            let reply = try await server.get("/v1/verify")
            let lines = try lines(reply)
            #expect((2...20).contains(lines.count), "\(lines.count)")
            #expect(lines.last == .result(found(stored: 1000)))
        }
    }

    @Test func `a failure is the last line`() async throws {
        try await withServer { server in
            let problem = Problem(status: 500, title: "The store failed", detail: "damaged")
            server.daemon.set(verification: .init(steps: [], result: .failure(problem)))
            let reply = try await server.get("/v1/verify")
            #expect(try lines(reply) == [.error(problem)])
        }
    }

    @Test(arguments: ["since=soon", "since=", "until=1", "since=1&since=2", "since=-1"])
    func `a wrong query is refused`(query: String) async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/verify?\(query)")
            #expect(reply.status == 400)
            #expect(server.daemon.verifiedSince.isEmpty)
        }
    }

    @Test func `one runs at a time, and another may when the client of the first has gone`() async throws {
        try await withServer { server in
            server.daemon.set(verification: .init(isEndless: true))
            let client = try await server.connect()
            try await client.send("GET /v1/verify HTTP/1.1\r\nHost: gloss\r\n\r\n")
            #expect(String(decoding: try await client.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            let second = try await server.get("/v1/verify")
            #expect(second.status == 503)
            #expect(second.headers["retry-after"] == "10")
            #expect(second.headers["content-type"] == Problem.mediaType)
            #expect(try await server.request("HEAD", "/v1/verify").status == 503)
            #expect(try await server.get("/v1/status").status == 200)
            client.leave()
            server.daemon.set(verification: .init(steps: [], result: .success(found(stored: 1))))
            #expect(try await eventually { try await server.get("/v1/verify").status == 200 })
            #expect(server.daemon.verificationsRunning == 0)
            #expect(try await server.request("HEAD", "/v1/verify").status == 200)
            #expect(try await server.get("/v1/verify").status == 200, "who asks for the head only has no place")
        }
    }

    @Test func `the daemon's stop ends it without a result`() async throws {
        try await withServer { server in
            server.daemon.set(verification: .init(isEndless: true))
            let client = try await server.connect()
            try await client.send("GET /v1/verify HTTP/1.1\r\nHost: gloss\r\n\r\n")
            var received = try await client.receive()
            await server.stop()
            received += try await client.receiveAll()
            let reply = try RawReply(received)
            #expect(reply.isComplete)
            #expect(
                try lines(reply).allSatisfy { line in
                    if case .progress = line { true } else { false }
                })
            #expect(try await eventually { server.daemon.verificationsRunning == 0 })
        }
    }
}
