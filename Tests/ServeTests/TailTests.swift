import API
import Model
import Store
import Testing

@testable import Serve

struct TailTests {
    @Test func `a tail begins with the last n and goes on with what comes`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...5), journal: "machine")
            let tail = try await TailClient(server, "n=2")
            #expect(try await tail.lines(2).map(\.summary) == ["event 4", "event 5"])
            try await server.store.save(Sample.batch(6...7), journal: "machine")
            #expect(try await tail.lines(4).map(\.summary) == ["event 4", "event 5", "event 6", "event 7"])
        }
    }

    @Test func `a tail with after goes on behind that event, however many there are`() async throws {
        try await withServer(maximumTailLag: 3) { server in
            try await server.store.save(Sample.batch(1...9), journal: "machine")
            let tail = try await TailClient(server, "after=2")
            #expect(try await tail.lines(7).map(\.summary) == (3...9).map { "event \($0)" })
        }
    }

    @Test func `the last n of a filtered tail are the last n that fit`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            try await server.store.save(Sample.batch(4...700, subsystem: "org.other"), journal: "machine")
            let tail = try await TailClient(server, "n=2&subsystem=com.*")
            #expect(try await tail.lines(2).map(\.summary) == ["event 2", "event 3"])
        }
    }

    @Test func `gaps appear in a tail as they occur, each once`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...1, gaps: [Sample.gap("old")]), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(2).map(\.summary) == ["gap behind 0", "event 1"])
            try await server.store.save(
                Sample.batch(2...3, gaps: [Sample.gap("new", before: 1)]), journal: "machine")
            try await server.store.save(Sample.batch(4...4), journal: "machine")
            let lines = try await tail.lines(6).map(\.summary)
            #expect(lines == ["gap behind 0", "event 1", "event 2", "gap behind 2", "event 3", "event 4"])
        }
    }

    @Test func `a tail that is too far behind is told how many events it missed`() async throws {
        try await withServer(maximumTailLag: 10) { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(1).map(\.summary) == ["event 1"])
            try await server.store.save(
                Sample.batch(2...51, gaps: [Sample.gap("lost", before: 3)]), journal: "machine")
            #expect(try await tail.lines(3).map(\.summary) == ["event 1", "missed 50", "gap behind 4"])
            try await server.store.save(Sample.batch(52...52), journal: "machine")
            #expect(try await tail.lines(4).map(\.summary) == ["event 1", "missed 50", "gap behind 4", "event 52"])
        }
    }

    @Test func `a quiet tail notices that its client left`() async throws {
        try await withServer { server in
            let tail = try await TailClient(server)
            #expect(try await tail.status() == 200)
            #expect(server.daemon.tails == [1])
            tail.client.leave()
            #expect(try await eventually { server.daemon.tails == [1, 0] })
        }
    }

    @Test func `one tail too many is refused and told to come back`() async throws {
        try await withServer(maximumTails: 1) { server in
            let tail = try await TailClient(server)
            #expect(try await tail.status() == 200)
            let reply = try await server.get("/v1/events?follow=true")
            #expect(reply.status == 503)
            #expect(reply.headers["retry-after"] != nil)
            #expect(try await server.get("/v1/status").status == 200)
        }
    }

    @Test func `a graceful shutdown ends open tails with a complete body`() async throws {
        try await withServer { server in
            let tail = try await TailClient(server)
            #expect(try await tail.status() == 200)
            await server.stop()
            #expect(try await tail.rest().isComplete)
        }
    }
}
