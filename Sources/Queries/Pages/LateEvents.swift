package import Model

/// The events that a tail leaves out and only counts: they came after it began, and were sent before it did. A journal file
/// that is read late brings them; `late=true` shows them.
package struct LateEvents: Sendable {
    /// How much older than the tail an event may be without being late. Events that are on their way when a tail begins are
    /// none that a file brought late: until journald has written an entry and the daemon has read and stored it, seconds may
    /// pass on a busy machine.
    static let toleranceMicroseconds: UInt64 = 5_000_000

    /// What was sent before is late, in microseconds since 1970; 0: nothing is.
    private(set) var horizon: UInt64
    /// How many were left out that nobody was told of.
    private var count: Int64 = 0
    /// When they are to be told; `nil` while there are none.
    package private(set) var due: ContinuousClock.Instant?

    /// Nothing is late.
    package init() {
        horizon = 0
    }

    /// - Parameters:
    ///   - now: when the tail begins, in microseconds since 1970.
    ///   - newest: the time of the newest event that is stored by then. A daemon that catches up with its journal is behind
    ///     the clock, and what it reads next is not late. Where nothing is stored, nothing tells what is.
    package init(beginning now: UInt64, newest: UInt64?) {
        horizon = Self.earlier(min(now, newest ?? 0))
    }

    /// The clock may have been set back since the tail began: what is sent by it now is not late.
    package mutating func move(to now: UInt64) {
        horizon = min(horizon, Self.earlier(now))
    }

    /// What of a filter's events is not late.
    package func inTime(_ filter: EventFilter) -> EventFilter {
        guard horizon > 0 else { return filter }
        var filter = filter
        filter.sinceMicroseconds = max(filter.sinceMicroseconds ?? 0, horizon)
        return filter
    }

    /// What of a filter's events is late; `nil` when nothing can be.
    package func late(_ filter: EventFilter) -> EventFilter? {
        guard horizon > 0, (filter.sinceMicroseconds ?? 0) < horizon else { return nil }
        var filter = filter
        filter.untilMicroseconds = horizon - 1
        return filter
    }

    /// - Parameter time: how long they wait for others to be told with them.
    package mutating func leaveOut(_ number: Int64, for time: Duration) {
        guard number > 0 else { return }
        count += number
        due = due ?? .now + time
    }

    /// How many were left out since this was asked last, when it is time to tell.
    package mutating func takeDue() -> Int64? {
        guard let due, due <= .now else { return nil }
        return take()
    }

    /// The same at the end, whatever the time is.
    package mutating func take() -> Int64? {
        defer { (count, due) = (0, nil) }
        return count > 0 ? count : nil
    }

    private static func earlier(_ time: UInt64) -> UInt64 {
        time > toleranceMicroseconds ? time - toleranceMicroseconds : 0
    }
}
