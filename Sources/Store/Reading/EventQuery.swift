internal import Model

/// One call of `EventStore.events`.
struct EventQuery: Sendable {
    var filter: EventFilter
    var after: Int64?
    var before: Int64?
    var order = EventOrder.oldest
    var limit = Int.max
    /// Where events are kept, the most that their payloads may have together; `nil` for about 1 MiB, and one event however
    /// large.
    var bytes: Int?
    /// Events are only found, not read.
    var onlyIDs = false

    /// No event can meet it.
    var isEmpty: Bool { limit <= 0 || filter.isEmpty }
}

extension EventFilter {
    /// Events are asked for between these, as signed numbers like the columns.
    var times: ClosedRange<Int64>? {
        guard sinceMicroseconds != nil || untilMicroseconds != nil else { return nil }
        let since = Int64(clamping: sinceMicroseconds ?? 0)
        return since...max(since, Int64(clamping: untilMicroseconds ?? UInt64(Int64.max)))
    }

    /// Everything in a range of time.
    init(times: ClosedRange<Int64>) {
        self.init()
        sinceMicroseconds = UInt64(clamping: times.lowerBound)
        untilMicroseconds = UInt64(clamping: times.upperBound)
    }

    /// No event can be in its range of time.
    var isEmpty: Bool {
        guard let since = sinceMicroseconds, let until = untilMicroseconds else { return false }
        return since > until
    }

    /// Whether it asks for what only the payloads say.
    var looksIntoPayloads: Bool { grep != nil || !parameters.isEmpty }

    /// Whether it asks for what is only known of stored events.
    var isOnStoredEvents: Bool { looksIntoPayloads || times != nil || level != nil || !boots.isEmpty }
}
