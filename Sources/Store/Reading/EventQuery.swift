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
    /// The most that payloads may have together; `nil` for about 1 MiB, and one event however large.
    var bytes: Int?
    /// Events are only found, not read.
    var onlyIDs = false

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

/// What one call may cost at most, so that each is a short read whatever is asked for: some rows and bytes, and the time
/// that its turn has.
struct ReadBudget {
    var rows = 32_768
    var postings = 32_768
    /// Of the events that are returned.
    var payloadBytes: Int
    private let turn: ReadTurn
    private var sinceLook = 0
    private var isOver = false

    init(payloadBytes: Int, turn: ReadTurn) {
        self.payloadBytes = payloadBytes
        self.turn = turn
    }

    var isSpent: Bool { rows <= 0 || postings <= 0 || payloadBytes <= 0 || isOver }

    /// Looks at the clock now and then.
    /// - Parameter effort: about what was done, in bytes of payload that were looked at.
    mutating func worked(_ effort: Int) {
        sinceLook += effort
        guard sinceLook >= 4096 else { return }
        sinceLook = 0
        isOver = turn.isOver
    }
}
