package import Model

/// The events that a tail only counts: they arrived after it began and were sent before. They come from journal files that are
/// read late; `late=true` shows them.
package struct LateEvents: Sendable {
    /// How much older than the tail an event may be without counting as late. On a busy machine, seconds may pass until journald
    /// has written an entry and the daemon has stored it.
    static let toleranceMicroseconds: UInt64 = 5_000_000

    /// Events that were sent before this time are late; microseconds since 1970, 0 for none.
    private(set) var horizon: UInt64
    /// The number of events that were left out and not reported yet.
    private var count: Int64 = 0
    /// When they are to be reported; `nil` while there are none.
    package private(set) var due: ContinuousClock.Instant?

    /// Nothing is late.
    package init() {
        horizon = 0
    }

    /// - Parameters:
    ///   - now: when the tail begins, in microseconds since 1970.
    ///   - newest: the time of the newest stored event. A daemon that catches up with its journal is behind the clock, and what it
    ///     reads next is not late. If nothing is stored, nothing counts as late.
    package init(beginning now: UInt64, newest: UInt64?) {
        horizon = Self.earlier(min(now, newest ?? 0))
    }

    /// Adapts to a clock that was set back since the tail began: events that are sent now are not late.
    package mutating func move(to now: UInt64) {
        horizon = min(horizon, Self.earlier(now))
    }

    /// Returns a predicate for the events that are not late.
    package func inTime(_ predicate: Predicate) -> Predicate {
        horizon > 0 ? predicate.and(.sent(from: horizon)) : predicate
    }

    /// Returns a predicate for the late events; `nil` when none can be late.
    package func late(_ predicate: Predicate) -> Predicate? {
        guard horizon > 0, let bounds = predicate.bounds, bounds.times.lowerBound < horizon else { return nil }
        return predicate.and(.sent(through: horizon - 1))
    }

    /// - Parameter time: how long they wait for others to be reported together.
    package mutating func leaveOut(_ number: Int64, for time: Duration) {
        guard number > 0 else { return }
        count += number
        due = due ?? .now + time
    }

    /// Returns the number of events that were left out since the last report, when a report is due.
    package mutating func takeDue() -> Int64? {
        guard let due, due <= .now else { return nil }
        return take()
    }

    /// Returns the number for the last report, at the end of the tail.
    package mutating func take() -> Int64? {
        defer { (count, due) = (0, nil) }
        return count > 0 ? count : nil
    }

    private static func earlier(_ time: UInt64) -> UInt64 {
        time > toleranceMicroseconds ? time - toleranceMicroseconds : 0
    }
}
