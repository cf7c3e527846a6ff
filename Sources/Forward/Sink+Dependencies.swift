internal import Linux
package import Model
package import Store

/// The destination of a sink.
package protocol Upstream: Sendable {
    /// Makes one attempt. Ends early when the task is cancelled.
    func send(_ batch: FrozenBatch) async -> AttemptResult
    /// Closes the connections, without waiting. Nothing is sent afterwards.
    func close()
}

/// The part of the store that a sink needs.
package protocol SinkStore: Sendable {
    var feed: EventFeed { get }
    var removalFeed: EventFeed { get }
    /// Returns the oldest of the events.
    func events(
        matching predicate: Predicate, after: Int64?, before: Int64?, limit: Int, on lane: ReadLane
    ) async throws(StoreError) -> EventPage
    func frozenBatch(ofSink name: String) async throws(StoreError) -> FrozenBatch?
    func freeze(_ batch: FrozenBatch) async throws(StoreError)
    func complete(_ batch: FrozenBatch, at now: UInt64) async throws(StoreError) -> SinkRecord
    func discard(_ batch: FrozenBatch) async throws(StoreError)
    func pass(_ name: String, to position: Int64) async throws(StoreError) -> SinkRecord
}

extension EventStore: SinkStore {}

/// The clocks of a sink.
package struct SinkClock: Sendable {
    /// Returns the time since some start. It is monotonic, even if the date is changed.
    package var elapsed: @Sendable () -> Duration
    /// Returns microseconds since 1970, for people and for the dates of `Retry-After`.
    package var date: @Sendable () -> UInt64
    /// Returns when `elapsed` has reached a time, or when the task is cancelled.
    package var sleep: @Sendable (_ until: Duration) async -> Void

    package static let system: SinkClock = {
        let clock = ContinuousClock()
        let start = clock.now
        return SinkClock(
            elapsed: { start.duration(to: clock.now) },
            date: wallClock,
            sleep: { until in try? await clock.sleep(until: start + until) })
    }()

    /// Returns when `elapsed` has reached a time, when one of the feeds has an event after the given one, or when the task is
    /// cancelled.
    func sleep(until time: Duration?, or feeds: [(EventFeed, after: Int64)]) async {
        var waits: [@Sendable () async -> Void] = []
        for (feed, event) in feeds { waits.append { await feed.wait(after: event) } }
        if let time { waits.append { [sleep] in await sleep(time) } }
        await runUntilFirstEnds(waits)
    }
}
