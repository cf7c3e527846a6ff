import API
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import Queries
import Store
import Synchronization
import TestSupport
import Testing

@testable import Serve

struct TailTests {
    @Test func `a tail begins with the last n and continues with what comes`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...5), journal: "machine")
            let tail = try await TailClient(server, "n=2")
            #expect(try await tail.lines(2).map(\.summary) == ["event 4", "event 5"])
            try await server.store.save(Sample.batch(6...7), journal: "machine")
            #expect(try await tail.lines(4).map(\.summary) == ["event 4", "event 5", "event 6", "event 7"])
        }
    }

    @Test func `a tail highlights stored and new events`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...5), journal: "machine")
            let tail = try await TailClient(server, "n=2&highlight=id%20in%20%7B5,7%7D")
            _ = try await tail.lines(2)
            try await server.store.save(Sample.batch(6...7), journal: "machine")
            let highlighted = try await tail.lines(4).map { line in
                if case .event(let event) = line { event.isHighlighted } else { false }
            }
            #expect(highlighted == [false, true, false, true])
        }
    }

    @Test func `a tail with after continues after that event, however many there are`() async throws {
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

    @Test func `a tail that continues at the newest event has the gaps behind it, each once`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            try await server.store.save(ResolvedBatch(gaps: [Sample.gap("old")]), journal: "machine")
            let tail = try await TailClient(server, "after=1")
            #expect(try await tail.status() == 200)
            try await server.store.save(Sample.batch(2...4), journal: "machine")
            #expect(try await tail.lines(3).map(\.summary) == ["gap behind 1", "event 2", "event 3"])
        }
    }

    @Test func `a tail with an after beyond the newest event sends what comes behind it`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            let tail = try await TailClient(server, "after=2")
            #expect(try await tail.status() == 200)
            #expect(try await server.get("/v1/events?follow=true&after=\(Int64.max)").status == 422)
            try await server.store.save(Sample.batch(2...4), journal: "machine")
            #expect(try await tail.lines(2).map(\.summary) == ["event 3", "event 4"])
        }
    }

    @Test func `gaps are sent at their places, whatever the order of their ids`() async throws {
        var limits = ControlLimits()
        limits.pages.events = 3
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(1).map(\.summary) == ["event 1"])
            let gaps = [Sample.gap("later", before: 9), Sample.gap("earlier", before: 1)]
            try await server.store.save(Sample.batch(2...12, gaps: gaps), journal: "machine")
            let lines = try await tail.lines(14).map(\.summary)
            #expect(lines.filter { $0.hasPrefix("gap") } == ["gap behind 2", "gap behind 10"])
        }
    }

    @Test func `a gap that is saved while events are sent appears when they are`() async throws {
        try await withServer { server in
            let tail = try await TailClient(server)
            #expect(try await tail.status() == 200)
            // More than the connection holds.
            try await server.store.save(Sample.batch(1...1, padding: 1_000_000), journal: "machine")
            try await tail.receive()
            try await server.store.save(ResolvedBatch(gaps: [Sample.gap("new")]), journal: "machine")
            #expect(try await tail.lines(2).map(\.summary) == ["event 1", "gap behind 1"])
        }
    }

    @Test func `a tail that is too far behind learns how many events it missed`() async throws {
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

    /// How long events are kept where some are removed: more than whatever has passed since they were sent.
    private static let age = Duration.seconds(1 << 30)

    /// Removes the events that were sent before that with a number.
    private func removeEvents(before seqnum: UInt64, from server: RunningServer) async throws {
        let now = Sample.cursor(seqnum).realtimeMicroseconds + Self.age.wholeMicroseconds
        while try await server.store.maintain(now: now) {}
    }

    @Test func `a tail that continues learns how many events were removed meanwhile`() async throws {
        try await withServer(maximumAge: Self.age) { server in
            for seqnums in [1...3, 100_000...100_001, 4...6, 100_002...100_002] as [ClosedRange<UInt64>] {
                try await server.store.save(Sample.batch(seqnums), journal: "machine")
            }
            try await removeEvents(before: 90_000, from: server)
            for (query, lines) in [
                ("after=2", ["missed 4", "event 4", "event 5", "event 9"]),
                ("after=4", ["missed 3", "event 5", "event 9"]),
                ("after=2&subsystem=com.*", ["event 4", "event 5", "event 9"]),
                ("after=0", ["event 4", "event 5", "event 9"]), ("n=2", ["event 5", "event 9"]),
            ] {
                let tail = try await TailClient(server, query)
                #expect(try await tail.lines(lines.count).map(\.summary) == lines, "\(query)")
                tail.client.leave()
            }
            try await removeEvents(before: 200_000, from: server)
            let tail = try await TailClient(server, "after=2")
            #expect(try await tail.lines(1).map(\.summary) == ["missed 7"])
            try await server.store.save(Sample.batch(300_000...300_000), journal: "machine")
            #expect(try await tail.lines(2).map(\.summary) == ["missed 7", "event 10"])
        }
    }

    @Test func `a tail that is read slowly learns how many events were removed before it came to them`() async throws {
        try await withServer(maximumAge: Self.age) { server in
            let tail = try await TailClient(server)
            #expect(try await tail.status() == 200)
            // More than the tail and its connection hold.
            for first in [1, 101, 201] as [UInt64] {
                try await server.store.save(Sample.batch(first...first + 99, padding: 20_000), journal: "machine")
            }
            try await removeEvents(before: 90_000, from: server)
            try await server.store.save(Sample.batch(100_000...100_000), journal: "machine")
            let lines = try await tail.lines(throughEvent: 301)
            let missed = lines.reduce(Int64(0)) { if case .missed(let count) = $1 { $0 + Int64(count) } else { $0 } }
            let events = lines.count { if case .event = $0 { true } else { false } }
            #expect(missed > 0)
            #expect(Int64(events) + missed == 301)
        }
    }

    /// A store whose newest event lies so long after `start` that there is room for late ones.
    private static let present: ClosedRange<UInt64> = 100_000...100_001

    @Test func `what is older than the tail is counted and not shown, and nothing else is`() async throws {
        try await withServer(limits: .quick) { server in
            try await server.store.save(Sample.batch(Self.present), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(1).map(\.summary) == ["event 2"])
            try await server.store.save(Sample.batch(1...12), journal: "machine")
            try await server.store.save(Sample.batch(100_002...100_003), journal: "machine")
            let lines = try await tail.lines(4).map(\.summary)
            #expect(lines.filter { $0.hasPrefix("event") } == ["event 2", "event 15", "event 16"])
            #expect(lines.contains("late 12"))
            // The next ones are counted from 0, and they are reported although nothing else comes.
            try await server.store.save(Sample.batch(13...17), journal: "machine")
            #expect(try await tail.lines(5).last?.summary == "late 5")
        }
    }

    @Test func `a tail with late=true shows what is older than it, as it comes`() async throws {
        try await withServer(limits: .quick) { server in
            try await server.store.save(Sample.batch(Self.present), journal: "machine")
            let tail = try await TailClient(server, "n=1&late=true")
            #expect(try await tail.lines(1).map(\.summary) == ["event 2"])
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            try await server.store.save(Sample.batch(100_002...100_002), journal: "machine")
            #expect(try await tail.lines(5).map(\.summary) == (2...6).map { "event \($0)" })
        }
    }

    @Test func `of late events those are counted that the tail's filter lets through`() async throws {
        try await withServer(limits: .quick) { server in
            try await server.store.save(Sample.batch(Self.present), journal: "machine")
            let tail = try await TailClient(server, "n=1&subsystem=com.*&since=\(Sample.start + 3000)")
            #expect(try await tail.lines(1).map(\.summary) == ["event 2"])
            try await server.store.save(Sample.batch(1...7, subsystem: "org.other"), journal: "machine")
            try await server.store.save(Sample.batch(1...7), journal: "machine")
            #expect(try await tail.lines(2).map(\.summary) == ["event 2", "late 5"])
        }
    }

    @Test func `the history that a tail begins with is shown, however old it is`() async throws {
        try await withServer(limits: .quick) { server in
            try await server.store.save(Sample.batch(Self.present), journal: "machine")
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            try await server.store.save(Sample.batch(100_002...100_002), journal: "machine")
            for (query, ids) in [
                ("n=5", [4, 5, 1, 2, 6]), ("after=1", [2, 3, 4, 5, 6]),
                ("after=1&since=\(Sample.start)", [2, 3, 4, 5, 6]),
            ] {
                let tail = try await TailClient(server, query)
                #expect(try await tail.lines(5).map(\.summary) == ids.map { "event \($0)" }, "\(query)")
                tail.client.leave()
            }
        }
    }

    @Test func `a tail of a daemon that catches up shows what it reads, long ago as that was`() async throws {
        // The clock says years later; the newest stored event shows how far reading is.
        try await withServer(limits: .quick) { server in
            let empty = try await TailClient(server, "after=0")
            #expect(try await empty.status() == 200)
            try await server.store.save(Sample.batch(10_000...10_001), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(1).map(\.summary) == ["event 2"])
            // On their way for 4 seconds: less than what is late.
            try await server.store.save(Sample.batch(6000...6001), journal: "machine")
            try await server.store.save(Sample.batch(10_002...10_003), journal: "machine")
            #expect(try await tail.lines(5).map(\.summary) == (2...6).map { "event \($0)" })
            #expect(try await empty.lines(6).map(\.summary) == (1...6).map { "event \($0)" })
        }
    }

    @Test func `a flood of late events makes a tail miss nothing`() async throws {
        try await withServer(limits: .quick, maximumTailLag: 10) { server in
            try await server.store.save(Sample.batch(Self.present), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(1).map(\.summary) == ["event 2"])
            let flood = Sample.batch(1...500).followed(by: Sample.batch(100_002...100_004))
            try await server.store.save(flood, journal: "machine")
            #expect(
                Set(try await tail.lines(5).map(\.summary).dropFirst())
                    == ["event 503", "event 504", "event 505", "late 500"])
        }
    }

    @Test func `a tail that is too far behind misses no late events: it counts them`() async throws {
        try await withServer(limits: .quick, maximumTailLag: 10) { server in
            try await server.store.save(Sample.batch(Self.present), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(1).map(\.summary) == ["event 2"])
            let batch = Sample.batch(1...30).followed(by: Sample.batch(100_002...100_051))
            try await server.store.save(batch, journal: "machine")
            #expect(try await tail.lines(3).map(\.summary) == ["event 2", "missed 50", "late 30"])
        }
    }

    @Test func `what was left out and not reported yet is reported when the daemon stops`() async throws {
        var limits = ControlLimits()
        limits.lateTime = .seconds(3600)
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(Self.present), journal: "machine")
            let tail = try await TailClient(server, "n=1")
            #expect(try await tail.lines(1).map(\.summary) == ["event 2"])
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            try await server.store.save(Sample.batch(100_002...100_002), journal: "machine")
            #expect(try await tail.lines(2).map(\.summary) == ["event 2", "event 6"])
            await server.stop()
            #expect(try await tail.rest().summaries() == ["event 2", "event 6", "late 3"])
        }
    }

    private final class Chunks: Sendable {
        private let state = Mutex([Int]())
        /// The number of lines in each.
        var lines: [Int] { state.withLock(\.self) }
        func add(_ lines: Int) { state.withLock { $0.append(lines) } }
    }

    private struct Writer: ResponseBodyWriter {
        let chunks: Chunks
        func write(_ buffer: ByteBuffer) async throws {
            let lines = buffer.readableBytesView.count { $0 == UInt8(ascii: "\n") }
            if lines > 0 { chunks.add(lines) }
        }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test func `lines are sent before the next events are read`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...2), journal: "machine")
            var limits = PageLimits()
            limits.events = 1
            var query = EventQuery()
            query.limit = 0
            let meaning = QueryMeaning(predicate: .everything, highlight: nil, replacements: 0)
            let tail = Tail(
                query: query, meaning: meaning,
                source: EventSource(server.store, server.memory, limits, countsRemoved: true), latest: 0,
                maximumLag: 10, lateTime: .seconds(1), now: { Sample.start }, replacements: { 0 },
                newMeaning: { meaning })
            let chunks = Chunks()
            let running = Task {
                var stream = LineStream(Writer(chunks: chunks), channel: nil, chunkBytes: 32 << 10)
                try await tail.run(into: &stream)
            }
            #expect(try await eventually { chunks.lines.reduce(0, +) == 2 })
            running.cancel()
            _ = await running.result
            #expect(chunks.lines == [1, 1])
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

    @Test func `one tail too many is refused and asked to come back`() async throws {
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

extension ControlLimits {
    /// Late events are reported at once.
    fileprivate static var quick: ControlLimits {
        var limits = ControlLimits()
        limits.lateTime = .milliseconds(50)
        return limits
    }
}

extension ResolvedBatch {
    /// Both in one.
    fileprivate func followed(by next: ResolvedBatch) -> ResolvedBatch {
        var joined = self
        joined.bytes += next.bytes
        joined.events += next.events.map { event in
            var event = event
            let payload = event.entry.payload
            event.entry.payload = payload.lowerBound + bytes.count..<payload.upperBound + bytes.count
            return event
        }
        return joined
    }
}
