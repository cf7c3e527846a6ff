internal import Model

/// One call of `EventStore.events`.
struct EventQuery: Sendable {
    var filter: EventFilter
    var after: Int64?
    var before: Int64?
    var order: EventOrder
    var limit: Int
    /// Besides the filter: only events of these; `nil` for all.
    var series: Set<Int64>?

    var times: ClosedRange<Int64>? { filter.times }

    /// No event can meet it.
    var isEmpty: Bool { limit <= 0 || filter.isEmpty || series?.isEmpty ?? false }
}

extension EventFilter {
    /// Events are asked for between these, as signed numbers like the columns.
    var times: ClosedRange<Int64>? {
        guard sinceMicroseconds != nil || untilMicroseconds != nil else { return nil }
        let since = Int64(clamping: sinceMicroseconds ?? 0)
        return since...max(since, Int64(clamping: untilMicroseconds ?? UInt64(Int64.max)))
    }

    /// No event can be in its range of time.
    var isEmpty: Bool {
        guard let since = sinceMicroseconds, let until = untilMicroseconds else { return false }
        return since > until
    }
}

/// What one call may cost at most, so that each is a short read whatever is asked for.
struct ReadBudget {
    var rows = 32_768
    var postings = 32_768
    /// Of the events that are returned.
    var payloadBytes = 1 << 20
    /// Of the payloads that a pattern was held against.
    var comparedBytes: Int

    init(isSlow: Bool) { comparedBytes = isSlow ? 1 << 20 : 16 << 20 }

    var isSpent: Bool { rows <= 0 || postings <= 0 || payloadBytes <= 0 || comparedBytes <= 0 }
}
