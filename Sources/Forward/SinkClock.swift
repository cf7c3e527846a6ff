internal import Linux

/// The clocks that a sink goes by.
package struct SinkClock: Sendable {
    /// The time since some start. Never goes back, whatever happens to the date.
    package var elapsed: @Sendable () -> Duration
    /// Microseconds since 1970, for what people see and for the dates of `Retry-After`.
    package var date: @Sendable () -> UInt64
    /// Returns when `elapsed` has reached a time, or when the task is cancelled.
    package var sleep: @Sendable (_ until: Duration) async -> Void

    package init(
        elapsed: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (_ until: Duration) async -> Void
    ) {
        self.elapsed = elapsed
        self.date = date
        self.sleep = sleep
    }

    package static let system: SinkClock = {
        let clock = ContinuousClock()
        let start = clock.now
        return SinkClock(
            elapsed: { start.duration(to: clock.now) },
            date: wallClock,
            sleep: { until in try? await clock.sleep(until: start + until) })
    }()
}
