import API
import Model
import Store
import Synchronization
import Testing

@testable import Forward

/// Sinks that get only some events, on a clock that jumps and a store in memory.
@Suite(.timeLimit(.minutes(1))) struct SinkPredicateTests {
    private let clock = SteppingClock()

    /// Waits until something holds that the sink brings about.
    private func eventually(_ condition: () async -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while await !condition() {
            try #require(ContinuousClock.now < end)
            await Task.yield()
        }
    }

    private let some = SinkOptions.sample { ($0.predicate, $0.maximumBatchAge) = ("id in {3, 4, 5}", .zero) }

    @Test func `a sink gets the events that it selects, and its position passes over the others`() async throws {
        let store = MemoryStore(sampleEvents(1...9))
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(
            some, store: store, upstream: upstream, clock: clock, select: { _ in .number(.id, 3...5) })
        try await run.run { _ in try await eventually { store.record.position == 9 } }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[3, 4, 5]])
        #expect(store.record.deliveredEvents == 3)
        #expect(store.calls(.pass) == 0, "the others are passed over with the batch")
    }

    @Test func `a sink that no event matches passes over them from time to time`() async throws {
        let store = MemoryStore(sampleEvents(1...9))
        let run = SinkRun(
            some, store: store, upstream: ScriptedUpstream(clock, []), clock: clock,
            select: { _ in .number(.id, 0...0) })
        try await run.run { _ in try await eventually { store.record.position == 9 } }
        #expect(store.calls(.pass) == 1, "that is a commit")
        #expect(clock.now == Sink.passInterval)
    }

    @Test func `when the store needs room, a sink passes over events, and closes its batch`() async throws {
        let clock = SteppingClock(limit: .seconds(1))
        let store = MemoryStore(sampleEvents(1...9))
        let upstream = ScriptedUpstream(clock, [])
        let options = SinkOptions.sample { ($0.predicate, $0.maximumBatchAge) = ("id in {13, 14}", .seconds(60)) }
        let run = SinkRun(
            options, store: store, upstream: upstream, clock: clock, select: { _ in .number(.id, 13...14) })
        try await run.run { _ in
            try await eventually { clock.sleeps.load(ordering: .relaxed) == 1 }
            #expect(store.record.position == 0)
            store.removalFeed.publish(2)
            try await eventually { store.record.position == 9 }
            store.append(sampleEvents(10...19))
            // The batch is open, and there is room.
            try await eventually { await run.sink.open.builder.ids == [13, 14] }
            store.removalFeed.publish(9)
            // With the first one it decides by that whether to close the batch, before it reads the second one.
            for newest in Int64(20)...21 {
                store.append(sampleEvents(newest...newest))
                try await eventually { await run.sink.open.position == newest }
            }
            #expect(await run.sink.open.builder.ids == [13, 14])
            #expect(upstream.attempts.isEmpty && store.record.position == 9)
            store.removalFeed.publish(10)
            try await eventually { store.record.position == 21 }
        }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[13, 14]])
        #expect(clock.now == .zero)
        #expect(store.calls(.pass) == 1)
    }

    @Test func `many events that it does not get are passed over at once`() async throws {
        let clock = SteppingClock(limit: .seconds(1))
        let store = MemoryStore(sampleEvents(1...Sink.passedEvents))
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(
            some, store: store, upstream: upstream, clock: clock, select: { _ in .number(.id, 0...0) })
        try await run.run { _ in try await eventually { store.record.position == Sink.passedEvents } }
        #expect(upstream.attempts.isEmpty && store.record.deliveredEvents == 0)
    }

    @Test func `a sink whose predicate has no meaning is held, and passes over nothing, until it has one`() async throws
    {
        let clock = SteppingClock(limit: .seconds(60))
        let store = MemoryStore(sampleEvents(1...9))
        let upstream = ScriptedUpstream(clock, [])
        let isUnderstood = Atomic(false)
        let run = SinkRun(
            some, store: store, upstream: upstream, clock: clock,
            select: { (options) throws(SinkError) in
                guard isUnderstood.load(ordering: .relaxed) else { throw SinkError("no parameter \(options.name)") }
                return .number(.id, 3...5)
            })
        try await run.run { reports in
            let held = try #require(await reports.next())
            #expect(held.kind == .held && held.message.contains("no parameter upstream"))
            #expect(await run.sink.activity.state == .held)
            #expect(store.record.position == 0 && store.calls(.events) == 0)
            isUnderstood.store(true, ordering: .relaxed)
            // As a dictionary that comes into force.
            await run.sink.collectAgain()
            #expect(await reports.next()?.kind == .delivered)
        }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[3, 4, 5]])
        #expect(clock.now < .seconds(60), "it does not wait for the next probe")
    }

    @Test func `a sink that is held is well again once its predicate is understood, also if no event matches`()
        async throws
    {
        let clock = SteppingClock(limit: .seconds(60))
        let store = MemoryStore(sampleEvents(1...9))
        let isUnderstood = Atomic(false)
        let run = SinkRun(
            some, store: store, upstream: ScriptedUpstream(clock, []), clock: clock,
            select: { (options) throws(SinkError) in
                guard isUnderstood.load(ordering: .relaxed) else { throw SinkError("no parameter") }
                return .number(.id, 100...100)
            })
        try await run.run { reports in
            #expect(await reports.next()?.kind == .held)
            isUnderstood.store(true, ordering: .relaxed)
            await run.sink.collectAgain()
            try await eventually { await run.sink.activity.state == .ok }
            #expect(await run.sink.activity.lastError == nil)
        }
    }

    @Test func `the last error is over while the sink waits for the store, and afterwards`() async throws {
        let clock = SteppingClock(limit: .zero)
        let store = MemoryStore(sampleEvents(1...9))
        let isUnderstood = Atomic(false)
        let run = SinkRun(
            some, store: store, upstream: ScriptedUpstream(clock, []), clock: clock,
            select: { (options) throws(SinkError) in
                guard isUnderstood.load(ordering: .relaxed) else { throw SinkError("no parameter") }
                return .number(.id, 100...100)
            })
        try await run.run { reports in
            #expect(await reports.next()?.kind == .held)
            isUnderstood.store(true, ordering: .relaxed)
            store.fail(.events, .failed)
            await run.sink.collectAgain()
            #expect(await reports.next()?.kind == .storeFailed)
            #expect(await run.sink.activity.state == .paused)
            #expect(await run.sink.activity.lastError == nil)
            clock.allow(until: .seconds(60))
            try await eventually { await run.sink.activity.state == .ok }
            #expect(await run.sink.activity.lastError == nil)
        }
    }

    @Test func `a batch that was frozen while the predicate changed is not sent`() async throws {
        let store = MemoryStore(sampleEvents(1...9))
        let upstream = ScriptedUpstream(clock, [])
        let selected = Mutex(Int64(1)...5)
        let run = SinkRun(
            some, store: store, upstream: upstream, clock: clock,
            select: { _ in .number(.id, selected.withLock(\.self)) })
        store.onFreeze = { [sink = run.sink] in
            let isFirst = selected.withLock { ids in
                defer { ids = 4...7 }
                return ids.lowerBound == 1
            }
            if isFirst { await sink.collectAgain() }
        }
        await run.run { $0.kind == .delivered }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[4, 5]], "6 and 7 were passed over before")
        #expect(store.frozen == nil && store.calls(.discard) == 1)

        // If nothing matches any more, it is not there for the next start, either.
        let rest = MemoryStore(sampleEvents(1...9))
        let none = SinkRun(
            some, store: rest, upstream: upstream, clock: clock,
            select: { _ in .number(.id, rest.calls(.freeze) == 0 ? 1...5 : 100...100) })
        rest.onFreeze = { [sink = none.sink] in await sink.collectAgain() }
        try await none.run { _ in try await eventually { rest.record.position == 9 } }
        #expect(rest.frozen == nil && rest.calls(.freeze) == 1)
    }

    @Test func `a sink does not go back to what it has passed over when its predicate changes`() async throws {
        let clock = SteppingClock(limit: .seconds(1))
        let store = MemoryStore(sampleEvents(1...9))
        let upstream = ScriptedUpstream(clock, [])
        let selected = Mutex(Int64(3)...5)
        let run = SinkRun(
            some, store: store, upstream: upstream, clock: clock,
            select: { _ in .number(.id, selected.withLock(\.self)) })
        try await run.run { reports in
            while let report = await reports.next(), report.kind != .delivered {}
            try await eventually { store.record.position == 9 }
            selected.withLock { $0 = 1...100 }
            await run.sink.collectAgain()
            store.append(sampleEvents(10...10))
            try await eventually { store.record.position == 10 }
        }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[3, 4, 5], [10]])
    }

    @Test func `nor to what it has passed over while its batch is open, whose events are examined again`() async throws
    {
        let clock = SteppingClock(limit: .seconds(1))
        let store = MemoryStore(sampleEvents(1...9))
        let upstream = ScriptedUpstream(clock, [])
        let selected = Mutex(Int64(3)...5)
        let options = SinkOptions.sample { ($0.predicate, $0.maximumBatchAge) = ("id in {3, 4, 5}", .seconds(60)) }
        let run = SinkRun(
            options, store: store, upstream: upstream, clock: clock,
            select: { _ in .number(.id, selected.withLock(\.self)) })
        try await run.run { _ in
            // It has read until the newest event, and waits.
            try await eventually { clock.sleeps.load(ordering: .relaxed) == 1 }
            selected.withLock { $0 = 4...100 }
            await run.sink.collectAgain()
            try await eventually { clock.sleeps.load(ordering: .relaxed) == 2 }
            // Once more, when some of them have been read again.
            await run.sink.collectAgain()
            store.append(sampleEvents(10...10))
            try await eventually { clock.sleeps.load(ordering: .relaxed) >= 3 }
            clock.allow(until: .seconds(1000))
            try await eventually { store.record.position == 10 }
        }
        #expect(upstream.attempts.flatMap { ids(in: $0.batch.body) } == [4, 5, 10])
    }

    @Test func `events of an open batch that no longer fit into it are in the next one`() async throws {
        let clock = SteppingClock(limit: .seconds(1))
        let store = MemoryStore(sampleEvents(1...9))
        let upstream = ScriptedUpstream(clock, [])
        @Sendable func options(_ events: Int) -> SinkOptions {
            .sample { ($0.predicate, $0.maximumBatchAge, $0.maximumBatchEvents) = ("id > 2", .seconds(60), events) }
        }
        let run = SinkRun(
            options(100), store: store, upstream: upstream, clock: clock,
            select: { .number(.id, $0.maximumBatchEvents == 100 ? 3...5 : 1...100) })
        try await run.run { _ in
            try await eventually { clock.sleeps.load(ordering: .relaxed) == 1 }
            await run.sink.reload(options(2))
            try await eventually { store.record.position == 4 }
            clock.allow(until: .seconds(60))
            try await eventually { store.record.position == 9 }
        }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[3, 4], [5]])
    }

    @Test func `what is passed over while catching up is noted on the way, and settings take effect`() async throws {
        let store = MemoryStore(sampleEvents(1...3 * Sink.passedEvents), pageEvents: 1000)
        let run = SinkRun(
            some, store: store, upstream: ScriptedUpstream(clock, []), clock: clock,
            select: { _ in .number(.id, 0...0) })
        try await run.run { _ in try await eventually { store.record.position == 3 * Sink.passedEvents } }
        #expect(store.calls(.pass) == 3)
    }

    @Test func `a regular expression that takes too long holds the sink`() async throws {
        let store = MemoryStore(sampleEvents(1...9))
        store.fail(.events, .invalidPattern)
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        let reports = await run.run { $0.kind == .delivered }
        #expect(reports.map(\.kind) == [.held, .delivered])
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [Array(1...9)])
    }
}
