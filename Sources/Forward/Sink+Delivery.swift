import Model
import Store

/// The delivery loop.
extension Sink {
    /// The most events that are read at a time: payloads may be large, and a page is in memory.
    static let pageLimit = 100
    /// The position is moved behind events that are not delivered after so many of them, or so much time: it is a commit. It
    /// is moved earlier if the store needs their room.
    package static let passedEvents: Int64 = 10_000
    package static let passInterval = Duration.seconds(10)

    /// Delivers until the task is cancelled. Then an attempt in flight is abandoned; its batch stays frozen and is sent
    /// again at the next start, with the same bytes and the same key.
    ///
    /// Call it once.
    package func run() async {
        while !Task.isCancelled {
            let wake = wakes.latest
            switch delivery.next(at: clock.elapsed()) {
            case .perform(let step): await perform(step, wake: wake)
            case .wait(let until): await wait(wake: wake, until: until)
            case .rest: await wait(wake: wake)
            }
        }
        disconnect()
    }

    private func perform(_ step: DeliveryState.Step, wake: Int64) async {
        do throws(StoreError) {
            switch step {
            case .recover: try await recover()
            case .fill: try await fill(wake: wake)
            case .send: await send()
            case .complete: try await complete()
            }
            waitsForStore = false
        } catch  where error.kind == .invalidPattern {
            hold(SinkError(error.description, hint: error.hint))
        } catch {
            // Unfinished work is not lost: it is repeated from what the store has.
            guard !Task.isCancelled else { return }
            delivery.storeFailed(at: clock.elapsed(), random: jitter())
            // What was wrong before is not why it waits now.
            (waitsForStore, lastError) = (true, nil)
            report(.storeFailed(name, error, failures: delivery.failures, delay: delay()))
        }
    }

    private func recover() async throws(StoreError) {
        batch = try await store.frozenBatch(ofSink: name)
        delivery.proceed(to: batch == nil ? .fill : .send)
    }

    /// Collects events until a batch is due, and freezes it. If the task is cancelled or settings change, it has no effect:
    /// the events are read again.
    private func fill(wake: Int64) async throws(StoreError) {
        if let stale {
            // Its events may be others than those that are to be sent now.
            try await store.discard(stale)
            self.stale = nil
        }
        let predicate: Predicate
        do throws(SinkError) { predicate = try select(options) } catch { return hold(error) }
        // The events that were collected before may contain values that are private now.
        if open.wake != wake { open.restart(options, after: record.position, wake: wake) }
        while true {
            // Read first, so that events that arrive in the meantime are not missed. The wait is for an event after
            // this one, not after the last event that was read, since events may have been removed before this sink
            // read them.
            let (seen, removable) = (store.feed.latest, store.removalFeed.latest)
            try await collect(predicate, wake: wake)
            // A store that did not take a batch may be read all the same.
            if open.builder.isEmpty { isBatchRefused = false }
            if delivery.condition != .ok, !isBatchRefused {
                delivery.proceed(to: .fill)
                lastError = nil
            }
            if open.builder.isClosed(at: clock.elapsed()) || isRoomNeeded && !open.builder.isEmpty { break }
            let due = open.builder.isEmpty ? try await pass(wake: wake) : open.builder.due
            await wait(wake: wake, event: seen, removable: removable, until: due)
            if Task.isCancelled || wakes.latest != wake { return }
        }
        guard wakes.latest == wake else { return }
        let frozen = open.freeze(sink: name, key: ID128(high: random(), low: random()))
        try await keep(frozen)
        guard wakes.latest == wake else {
            stale = frozen
            return
        }
        batch = frozen
        open.next(options)
        delivery.proceed(to: .send)
    }

    /// Whether the store may soon have to remove events that this sink has neither delivered nor passed over.
    private var isRoomNeeded: Bool { store.removalFeed.latest > record.position }

    /// Saves a batch before its first attempt. One that the store has no room for is sent all the same: what is not delivered
    /// is not removed to make room, or is counted as dropped. If glossd ends meanwhile, its events are sent again in another
    /// batch.
    private func keep(_ frozen: FrozenBatch) async throws(StoreError) {
        isBatchRefused = true
        do throws(StoreError) {
            try await store.freeze(frozen)
            isBatchUnsaved = false
        } catch  where error.kind == .full {
            isBatchUnsaved = true
        }
        isBatchRefused = false
    }

    /// Reads events until the batch is due or to the newest event, unless settings change.
    private func collect(_ predicate: Predicate, wake: Int64) async throws(StoreError) {
        while !open.builder.isClosed(at: clock.elapsed()) {
            let page = try await store.events(
                matching: predicate, after: open.position, before: nil,
                limit: min(open.builder.room, Sink.pageLimit), on: .delivery)
            // Selected by settings that are no longer in force.
            guard wakes.latest == wake else { return }
            for event in page.events where !open.hasPassedOver(event.id) {
                guard open.add(redact(event), at: clock.elapsed()) else { return }
            }
            open.examine(through: page.next ?? page.newestEventID)
            guard page.next != nil else { return }
            if open.builder.isEmpty {
                _ = try await pass(wake: wake)
            } else if page.events.isEmpty, isRoomNeeded {
                // It may take long until the batch is full.
                return
            }
        }
    }

    /// Moves the position behind events that the sink does not get, from time to time, so that they may be removed.
    /// - Returns: when to call it again; `nil` if there are no such events.
    private func pass(wake: Int64) async throws(StoreError) -> Duration? {
        let position = open.position
        guard position > record.position else { return nil }
        let due = passed + Sink.passInterval
        let isDue = position - record.position >= Sink.passedEvents || due <= clock.elapsed()
        guard isDue || isRoomNeeded else { return due }
        // By settings that are no longer in force.
        guard wakes.latest == wake else { return nil }
        record = try await store.pass(name, to: position)
        passed = clock.elapsed()
        return nil
    }

    /// Stops until settings, dictionaries or the predicate are repaired: an event that is not sent by mistake is lost.
    private func hold(_ error: SinkError) {
        isBatchRefused = false
        delivery.misunderstood(at: clock.elapsed())
        report(
            .held(
                name, reason: error.description, hint: error.hint, lastError: probes == lastProbe ? lastError : nil,
                probeIn: delay()))
        (lastError, waitsForStore, lastProbe) = (error.description, false, probes)
    }

    private func send() async {
        // This step always has a batch: `recover` and `fill` lead here only after they have one.
        guard let batch else { return delivery.proceed(to: .fill) }
        // There may be room for it by now, but nothing depends on that.
        if isBatchUnsaved, delivery.failures > 0, (try? await store.freeze(batch)) != nil { isBatchUnsaved = false }
        let (probesBefore, optionsBefore, begin) = (probes, options, clock.elapsed())
        // It is not known whether an attempt that did not end by itself succeeded, so the batch stays unchanged.
        guard let result = await attempt(batch), !Task.isCancelled else { return }
        let failures = delivery.failures
        let verdict = Verdict(result)
        attempts[verdict.outcome]?.record(clock.elapsed() - begin)
        // The file may be another one by the next attempt.
        if verdict != .done, options.caFile != nil { isUpstreamOutdated = true }
        delivery.attempted(verdict, at: clock.elapsed(), random: jitter())
        let news = SinkReport.after(
            result, of: name, failures: failures, lastError: probesBefore == lastProbe ? lastError : nil, delay: delay()
        )
        if let news { report(news) }
        lastProbe = probesBefore
        lastError = verdict == .done ? nil : result.reason
        // A repair during the attempt came too late for it.
        if options != optionsBefore { delivery.forgetRetryAfter() }
        if probes != probesBefore { delivery.wake(at: clock.elapsed()) }
    }

    /// - Returns: `nil` if it was given up, because settings changed meanwhile.
    private func attempt(_ batch: FrozenBatch) async -> AttemptResult? {
        if isUpstreamOutdated { disconnect() }
        let upstream: any Upstream
        do throws(SinkError) { upstream = try connected() } catch { return .notSent(reason: error.advice) }
        return await withTaskGroup(of: AttemptResult?.self) { [changes, seen = changes.latest] group in
            group.addTask { await upstream.send(batch) }
            group.addTask {
                await changes.wait(after: seen)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func connected() throws(SinkError) -> any Upstream {
        if let upstream { return upstream }
        let upstream = try connect(options)
        self.upstream = upstream
        return upstream
    }

    private func complete() async throws(StoreError) {
        guard let batch else { return delivery.proceed(to: .fill) }
        record = try await store.complete(batch, at: clock.date())
        (self.batch, isBatchUnsaved) = (nil, false)
        delivery.proceed(to: .fill)
        report(.delivered(batch))
    }

    private func disconnect() {
        isUpstreamOutdated = false
        upstream?.close()
        upstream = nil
    }

    /// Waits for the first of these: a wake-up after `wake`, an event after `event`, that the store may remove events after
    /// `removable`, a time, or cancellation.
    private func wait(
        wake: Int64, event: Int64? = nil, removable: Int64? = nil, until time: Duration? = nil
    ) async {
        var feeds = [(wakes, after: wake)]
        if let event { feeds.append((store.feed, after: event)) }
        if let removable { feeds.append((store.removalFeed, after: removable)) }
        await clock.sleep(until: time, or: feeds)
    }

    private func jitter() -> Double { Sink.jitter(random) }

    private func delay() -> Duration { delivery.wait(at: clock.elapsed()) }
}
