import API
import Forward
import Model
import Store
import Synchronization
import Testing

/// The delivery loop, on a clock that jumps and a store in memory.
@Suite(.timeLimit(.minutes(1))) struct SinkTests {
    private let clock = SteppingClock()

    @Test func `503, 503, 429 with Retry-After, then 200 sends the same bytes at the right times`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let upstream = ScriptedUpstream(
            clock, [.status(503), .status(503), .status(429, retryAfter: .seconds(7)), .status(200)])
        let run = SinkRun(.sample { $0.maximumBatchAge = .zero }, store: store, upstream: upstream, clock: clock)
        await run.run { $0.kind == .delivered }
        // Half of 1 s, half of 2 s, and 7 s.
        #expect(upstream.attempts.map(\.time) == [.zero, .milliseconds(500), .milliseconds(1500), .milliseconds(8500)])
        let first = try #require(upstream.attempts.first)
        #expect(upstream.attempts.allSatisfy { $0.batch == first.batch })
        #expect(ids(in: first.batch.body) == [1, 2, 3])
        #expect(store.record.position == 3)
        #expect(store.frozen == nil)
    }

    @Test func `attempts are counted by what came of them`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let upstream = ScriptedUpstream(clock, [.status(503), .status(503), .status(401), .status(200)])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        await run.run { $0.kind == .delivered }
        #expect(run.sink.attempts.counts.mapValues(\.total) == [.done: 1, .retry: 2, .hold: 1])
        #expect(run.sink.attempts.counts.values.allSatisfy { $0.sum == 0 }, "this clock stands still meanwhile")
    }

    @Test func `401 holds, and a reload tries again at once with the same bytes`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .seconds(60))
        let upstream = ScriptedUpstream(clock, [.status(401)])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        try await run.run { reports in
            let held = try #require(await reports.next())
            #expect(held.kind == .held)
            #expect(held.level == .err)
            #expect(held.message.contains("401 Unauthorized"))
            #expect(held.hint?.contains("token") == true)
            let activity = await run.sink.activity
            #expect(activity.state == .held)
            #expect(activity.lastError?.contains("401") == true)
            #expect(activity.nextAttempt == WireTime(microseconds: SteppingClock.start + 301_000_000))
            #expect(store.record.position == 0)

            await run.sink.reload(.sample { $0.tokenFile = "/new" })
            #expect(await reports.next()?.kind == .recovered)
            #expect(await reports.next()?.kind == .delivered)
        }
        #expect(upstream.attempts.map(\.time) == [.seconds(1), .seconds(1)])
        #expect(Set(upstream.attempts.map(\.batch)).count == 1)
        #expect(store.record.position == 3)
        #expect(await run.sink.activity.lastError == nil, "what is over is no warning")
    }

    @Test func `that a sink is held is said loudly once for each reason`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let upstream = ScriptedUpstream(clock, [.status(401), .status(401), .status(404), .status(401)])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        let reports = await run.run { $0.kind == .delivered }
        #expect(reports.filter { $0.kind == .held }.map(\.level) == [.err, .debug, .err, .err])
    }

    @Test func `what a reload has not repaired is said loudly again`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .seconds(60))
        let upstream = ScriptedUpstream(clock, [.status(401), .status(401), .status(401)])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            #expect(await reports.next()?.level == .err)
            await run.sink.reload(.sample { $0.tokenFile = "/new" })
            #expect(await reports.next()?.level == .err)
            clock.allow(until: .seconds(301))
            #expect(await reports.next()?.level == .debug)
        }
    }

    @Test func `a reload that changes nothing keeps to Retry-After, one that changes the sink does not`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .seconds(60))
        let upstream = ScriptedUpstream(clock, [.status(429, retryAfter: .seconds(600))])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            #expect(await reports.next()?.kind == .retrying)
            await run.sink.reload(.sample())
            let next = await run.sink.activity.nextAttempt
            #expect(next == WireTime(microseconds: SteppingClock.start + 601_000_000))
            await run.sink.reload(.sample { $0.tokenFile = "/new" })
            #expect(await reports.next()?.kind == .recovered)
        }
        #expect(upstream.attempts.map(\.time) == [.seconds(1), .seconds(1)])
    }

    @Test(arguments: [301, 400, 401, 403, 404, 413, 422, 501])
    func `a sink that is held probes at its interval, drops nothing and says so`(status: Int) async {
        let store = MemoryStore(sampleEvents(1...5))
        let upstream = ScriptedUpstream(clock, Array(repeating: .status(status), count: 4))
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        let reports = await run.run { $0.kind == .delivered }
        #expect(upstream.attempts.map(\.time) == [1, 301, 601, 901, 1201].map { Duration.seconds($0) })
        #expect(reports.map(\.kind) == [.held, .held, .held, .held, .recovered, .delivered])
        #expect(upstream.attempts.last.map { ids(in: $0.batch.body) } == [1, 2, 3, 4, 5])
    }

    @Test func `an attempt that was under way during a reload does not spend it`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .seconds(60))
        let (started, starter) = AsyncStream.makeStream(of: Void.self)
        let (released, releaser) = AsyncStream.makeStream(of: Void.self)
        let upstream = ScriptedUpstream(clock) { number in
            guard number == 0 else { return .status(200) }
            starter.yield()
            for await _ in released { break }
            return .status(401)
        }
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            for await _ in started { break }
            await run.sink.reload(.sample())
            releaser.yield()
            #expect(await reports.next()?.kind == .held)
            #expect(await reports.next()?.kind == .recovered)
        }
        #expect(upstream.attempts.map(\.time) == [.seconds(1), .seconds(1)])
    }

    @Test func `an attempt by settings that changed is given up, and its batch sent by the new ones`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let (started, starter) = AsyncStream.makeStream(of: Void.self)
        let upstream = ScriptedUpstream(clock) { number in
            guard number == 0 else { return .status(200) }
            starter.yield()
            try? await Task.sleep(for: .seconds(3600))
            return .unanswered(reason: "cancelled")
        }
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            for await _ in started { break }
            await run.sink.reload(.sample(url: "http://127.0.0.1:9/other"))
            #expect(await reports.next()?.kind == .delivered, "it was no failure")
        }
        #expect(upstream.attempts.map(\.time) == [.seconds(1), .seconds(1)])
        #expect(Set(upstream.attempts.map(\.batch)).count == 1)
        #expect(store.record.position == 3)
    }

    @Test func `a held sink makes one attempt for a reload, whatever else the reload brings during it`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .seconds(60))
        let (started, starter) = AsyncStream.makeStream(of: Void.self)
        let (released, releaser) = AsyncStream.makeStream(of: Void.self)
        let upstream = ScriptedUpstream(clock) { number in
            guard number == 1 else { return .status(401) }
            starter.yield()
            for await _ in released { break }
            return .status(401)
        }
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            #expect(await reports.next()?.kind == .held)
            // As the daemon does: other dictionaries, the settings, and the dictionaries once more.
            await run.sink.collectAgain()
            await run.sink.reload(.sample())
            for await _ in started { break }
            await run.sink.collectAgain()
            releaser.yield()
            #expect(await reports.next()?.kind == .held)
            // The next one is the probe at its time, not one at once.
            clock.allow(until: .seconds(400))
            #expect(await reports.next()?.kind == .held)
        }
        #expect(upstream.attempts.map(\.time) == [.seconds(1), .seconds(1), .seconds(301)])
    }

    @Test func `how long a sink has been retrying is counted from the first failure in a row`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .seconds(950))
        let upstream = ScriptedUpstream(clock) { number in
            clock.now < .seconds(1000) ? .unanswered(reason: "refused") : .status(200)
        }
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        try await run.run { reports in
            // The clock stands before the second in which the upstream answers, so that the sink cannot run ahead.
            var last = Duration.zero
            while last <= .seconds(900), await reports.next()?.kind == .retrying {
                let retrying = try #require(await run.sink.activity.retryingFor)
                #expect(retrying >= last)
                last = retrying
            }
            #expect(last > .seconds(900))
            clock.allow(until: .seconds(10_000))
            while await reports.next()?.kind == .retrying {}
            #expect(await run.sink.activity.retryingFor == nil)
        }
    }

    @Test func `a new sink on the same store resends the same bytes under the same key`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let options = SinkOptions.sample { $0.compression = .gzip }
        let before = ScriptedUpstream(clock, Array(repeating: .status(503), count: 1_000_000))
        await SinkRun(options, store: store, upstream: before, clock: clock, random: Sink.systemRandom)
            .run { $0.kind == .retrying }
        store.append(sampleEvents(4...6))

        let after = ScriptedUpstream(clock, [])
        await SinkRun(options, store: store, upstream: after, clock: clock, random: Sink.systemRandom)
            .run { _ in store.record.position == 6 }
        #expect(before.attempts.first?.batch == after.attempts.first?.batch)
        #expect(after.attempts.map { ids(in: $0.batch.body) } == [[1, 2, 3], [4, 5, 6]])
        #expect(Set(after.attempts.map(\.batch.key)).count == 2)
    }

    @Test func `a batch whose completing fails is completed later, not sent again`() async {
        let store = MemoryStore(sampleEvents(1...3))
        store.fail(.complete, .busy, .full)
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        let reports = await run.run { $0.kind == .delivered }
        #expect(reports.map(\.kind) == [.storeFailed, .storeFailed, .delivered])
        #expect(upstream.attempts.count == 1)
    }

    @Test func `what the store fails at is not the sink's error`() async {
        let store = MemoryStore(sampleEvents(1...3))
        store.fail(.freeze, .busy)
        let run = SinkRun(store: store, upstream: ScriptedUpstream(clock, []), clock: clock)
        let activities = await run.run { reports in
            var activities: [SinkActivity] = []
            while let report = await reports.next() {
                activities.append(await run.sink.activity)
                if report.kind == .delivered { break }
            }
            return activities
        }
        #expect(activities.count == 2 && activities.allSatisfy { $0.lastError == nil })
        #expect(activities.last?.state == .ok)
    }

    @Test func `pauses grow while the store does not take a batch, though it can be read`() async {
        let store = MemoryStore(sampleEvents(1...3))
        store.fail(.freeze, .busy, .busy, .busy, .busy, .busy, .busy)
        let run = SinkRun(store: store, upstream: ScriptedUpstream(clock, []), clock: clock)
        let reports = await run.run { $0.kind == .delivered }
        #expect(reports.map(\.kind) == Array(repeating: .storeFailed, count: 6) + [.delivered])
        // The sum of the pauses, each twice the one before, with half of each as jitter.
        #expect(clock.now >= .seconds(30))
    }

    @Test func `a batch that the store has no room for is delivered all the same`() async {
        let store = MemoryStore(sampleEvents(1...3))
        store.fail(.freeze, .full)
        let upstream = ScriptedUpstream(clock, [.status(503), .status(200)])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        let reports = await run.run { $0.kind == .delivered }
        #expect(reports.map(\.kind) == [.retrying, .recovered, .delivered])
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[1, 2, 3], [1, 2, 3]])
        #expect(Set(upstream.attempts.map(\.batch.key)).count == 1)
        #expect(store.calls(.freeze) == 2, "there may be room before the next attempt")
        #expect(store.record.position == 3)
    }

    @Test(arguments: [MemoryStore.Operation.frozenBatch, .events, .freeze])
    func `a store that fails is asked again later, and nothing goes out unfrozen`(
        operation: MemoryStore.Operation
    ) async {
        let store = MemoryStore(sampleEvents(1...3))
        store.fail(operation, .busy, operation == .freeze ? .busy : .full, .failed)
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        let reports = await run.run { $0.kind == .delivered }
        #expect(reports.map(\.kind) == [.storeFailed, .storeFailed, .storeFailed, .delivered])
        #expect(reports.first?.message.contains("set to fail") == true)
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[1, 2, 3]])
        #expect(clock.now >= .milliseconds(3500))
    }

    @Test func `a long outage costs one attempt for each backoff, and drains in order afterwards`() async {
        let store = MemoryStore(sampleEvents(1...3000))
        // Ten hours, in which nobody asks more often than twice a minute on average once the upstream counts as down.
        let clock = self.clock
        let upstream = ScriptedUpstream(clock) { _ in
            clock.now < .seconds(36_000) ? .unanswered(reason: "refused") : .status(200)
        }
        let run = SinkRun(.sample { $0.maximumBatchEvents = 50 }, store: store, upstream: upstream, clock: clock)
        let reports = await run.run { _ in store.record.position == 3000 }
        let failed = upstream.attempts.prefix { $0.time < .seconds(36_000) }
        #expect(failed.count <= 36_000 / 15 + 5)
        #expect(Set(failed.map(\.batch.key)).count == 1)
        let delivered = upstream.attempts.dropFirst(failed.count).flatMap { ids(in: $0.batch.body) }
        #expect(delivered == Array(1...3000))
        #expect(reports.count { $0.level.rawValue <= Level.warning.rawValue } == 2)
    }

    @Test func `an upstream that fails now and then gets each event, in order, and a batch is never mixed`() async {
        let store = MemoryStore(sampleEvents(1...2000))
        let upstream = ScriptedUpstream(clock) { number in
            switch number % 7 {
            case 1: .status(503)
            case 3: .unanswered(reason: "the connection was closed")
            case 4: .status(429, retryAfter: .seconds(2))
            case 6: .status(401)
            default: .status(200)
            }
        }
        let options = SinkOptions.sample { $0.maximumBatchEvents = 64 }
        await SinkRun(options, store: store, upstream: upstream, clock: clock, random: Sink.systemRandom)
            .run { _ in store.record.position == 2000 }
        var delivered: [Int64] = []
        var bodies: [String: [UInt8]] = [:]
        for attempt in upstream.attempts {
            let before = bodies.updateValue(attempt.batch.body, forKey: attempt.batch.key)
            #expect(before == nil || before == attempt.batch.body)
            let new = ids(in: attempt.batch.body)
            if delivered.last != new.last { delivered += new }
        }
        #expect(delivered == Array(1...2000))
        #expect(store.record.deliveredEvents == 2000)
        #expect(store.record.deliveredBatches == Int64(bodies.count))
    }

    @Test func `events that come later are delivered, without asking the store in between`() async throws {
        let store = MemoryStore()
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(.sample { $0.maximumBatchAge = .zero }, store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            store.append(sampleEvents(1...1))
            #expect(await reports.next()?.kind == .delivered)
            store.append(sampleEvents(2...3))
            #expect(await reports.next()?.kind == .delivered)
        }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[1], [2, 3]])
        #expect(store.calls(.events) <= 6)
    }

    @Test func `events that were removed before the sink had them do not make it spin`() async {
        let store = MemoryStore(sampleEvents(1...10))
        store.removeAllEvents()
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(.sample { $0.maximumBatchAge = .zero }, store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            // Time enough for a loop that does not wait to ask thousands of times.
            while store.calls(.events) == 0 { await Task.yield() }
            for _ in 1...1000 { await Task.yield() }
            store.append(sampleEvents(11...11))
            _ = await reports.next()
        }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[11]])
        #expect(store.calls(.events) <= 4)
    }

    /// Removes the payload when asked to.
    private final class Switch: Sendable {
        private let isOn = Atomic(false)
        private let count = Atomic(0)

        /// How many events it was asked about.
        var asked: Int { count.load(ordering: .sequentiallyConsistent) }

        func turnOn() { isOn.store(true, ordering: .sequentiallyConsistent) }

        func redacted(_ event: Event) -> Event {
            var event = event
            defer { count.add(1, ordering: .sequentiallyConsistent) }
            if isOn.load(ordering: .sequentiallyConsistent) { event.payload = Array(#"{"n":"<private>"}"#.utf8) }
            return event
        }
    }

    private func text(_ attempt: ScriptedUpstream.Attempt?) -> String {
        String(decoding: attempt?.batch.body ?? [], as: UTF8.self)
    }

    @Test func `what has become private is in no batch that is not frozen yet`() async {
        let store = MemoryStore(sampleEvents(1...3))
        let secret = Switch()
        let upstream = ScriptedUpstream(clock) { number in
            guard number == 0 else { return .status(200) }
            secret.turnOn()
            return .status(503)
        }
        let run = SinkRun(
            .sample { $0.maximumBatchEvents = 2 }, store: store, upstream: upstream, clock: clock,
            redact: secret.redacted)
        await run.run { _ in store.record.position == 3 }
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[1, 2], [1, 2], [3]])
        #expect(upstream.attempts.map(\.batch.body)[0] == upstream.attempts.map(\.batch.body)[1])
        #expect(!text(upstream.attempts.first).contains("<private>"))
        #expect(text(upstream.attempts.last).contains("<private>"))
    }

    @Test func `what was collected before it became private is read again`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .zero)
        let upstream = ScriptedUpstream(clock, [])
        let secret = Switch()
        let run = SinkRun(store: store, upstream: upstream, clock: clock, redact: secret.redacted)
        await run.run { reports in
            // It has collected them and waits for the batch to be old enough.
            while secret.asked < 3 { await Task.yield() }
            secret.turnOn()
            await run.sink.collectAgain()
            clock.allow(until: .seconds(60))
            #expect(await reports.next()?.kind == .delivered)
        }
        #expect(ids(in: upstream.attempts.first?.batch.body ?? []) == [1, 2, 3])
        #expect(!text(upstream.attempts.first).contains("filler"))
    }

    @Test func `a batch is as old as its first event, however often settings and dictionaries change`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let clock = SteppingClock(limit: .seconds(6))
        let upstream = ScriptedUpstream(clock, [])
        let options = SinkOptions.sample { $0.maximumBatchAge = .seconds(10) }
        let run = SinkRun(options, store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            while clock.sleeps.load(ordering: .relaxed) == 0 { await Task.yield() }
            await clock.clock.sleep(.seconds(6))
            await run.sink.reload(options)
            while clock.sleeps.load(ordering: .relaxed) < 3 { await Task.yield() }
            await run.sink.collectAgain()
            while clock.sleeps.load(ordering: .relaxed) < 4 { await Task.yield() }
            clock.allow(until: .seconds(10))
            #expect(await reports.next()?.kind == .delivered)
        }
        #expect(upstream.attempts.map(\.time) == [.seconds(10)])
        #expect(upstream.attempts.map { ids(in: $0.batch.body) } == [[1, 2, 3]])
    }

    @Test func `a disabled sink sends nothing until settings enable it`() async throws {
        let store = MemoryStore(sampleEvents(1...3))
        let upstream = ScriptedUpstream(clock, [])
        let run = SinkRun(.sample { $0.isEnabled = false }, store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            await run.sink.probe()
            // Time enough for one that sends: nothing shows that it has looked and does not.
            for _ in 1...1000 { await Task.yield() }
            #expect(await run.sink.activity.state == .disabled)
            #expect(upstream.attempts.isEmpty && store.frozen == nil)
            await run.sink.reload(.sample())
            #expect(await reports.next()?.kind == .delivered)
            #expect(await run.sink.activity.state == .ok)
        }
    }

    @Test func `a cancelled attempt leaves the batch frozen and the position where it was`() async {
        let store = MemoryStore(sampleEvents(1...3))
        let (started, starter) = AsyncStream.makeStream(of: Void.self)
        let upstream = ScriptedUpstream(clock) { _ in
            starter.yield()
            try? await Task.sleep(for: .seconds(3600))
            return .status(200)
        }
        let run = SinkRun(store: store, upstream: upstream, clock: clock)
        await run.run { _ in for await _ in started { break } }
        #expect(store.frozen?.lastEventID == 3)
        #expect(store.record.position == 0)
    }

    @Test func `what was delivered is counted, and the last error is shown without the query of its address`() async {
        let store = MemoryStore(sampleEvents(1...5))
        let upstream = ScriptedUpstream(clock, [.unanswered(reason: "upstream:9: connection refused")])
        let run = SinkRun(
            .sample(url: "http://upstream:9/in?key=secret"), store: store, upstream: upstream, clock: clock)
        await run.run { reports in
            #expect(await reports.next()?.kind == .retrying)
            #expect(await run.sink.activity.lastError == "upstream:9: connection refused")
            #expect(await reports.next()?.kind == .recovered)
            #expect(await reports.next()?.kind == .delivered)
        }
        let activity = await run.sink.activity
        #expect(activity.name == "upstream")
        #expect(activity.url == "http://upstream:9/in")
        #expect(activity.lastError == nil)
        #expect(activity.nextAttempt == nil)
        #expect(store.record.position == 5)
        #expect((store.record.deliveredEvents, store.record.deliveredBatches) == (5, 1))
        #expect(store.record.lastSuccessMicroseconds == SteppingClock.start + 1_500_000)
    }
}
