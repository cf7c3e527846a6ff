/// A place where entries are known or suspected to be missing.
package struct Gap: Hashable, Sendable {
    package enum Cause: String, Sendable, CaseIterable {
        /// The journal no longer had the entry that was read last: it was deleted in between.
        case vacuumed
        /// journald did not store messages: its rate limit, or kernel messages that it missed.
        case rateLimited = "rate_limited"
        /// A journal file could not be read in full.
        case damaged
        /// The journal was numbered anew, and the entry that was read last could not be found in it.
        case renumbered
        /// Gloss itself removed events that a sink had not had (`store.when_full: drop_oldest`).
        case dropped
    }

    package var cause: Cause
    /// When the gap was found, or for journald's own messages when they say so; microseconds since 1970.
    package var realtimeMicroseconds: UInt64
    /// The last entry before the gap, where known.
    package var from: JournalCursor?
    /// The first entry after the gap, where known.
    package var to: JournalCursor?
    /// How many entries or events are missing, where known.
    package var count: UInt64?
    /// One sentence for people: what is missing, from where.
    @Exact package var message: String
    /// The gap lies before `entries[entryIndex]` of its batch; `entries.count` when it lies behind them all.
    package var entryIndex: Int

    package init(
        cause: Cause, realtimeMicroseconds: UInt64, from: JournalCursor? = nil, to: JournalCursor? = nil,
        count: UInt64? = nil, message: String, entryIndex: Int = 0
    ) {
        self.cause = cause
        self.realtimeMicroseconds = realtimeMicroseconds
        self.from = from
        self.to = to
        self.count = count
        self.message = message
        self.entryIndex = entryIndex
    }
}

/// A gap as the store keeps it.
package struct GapRecord: Hashable, Sendable {
    package var id: Int64
    /// The gap lies behind this event (0: before the first), so that reads and tails can show it at its place.
    package var afterEventID: Int64
    package var gap: Gap

    package init(id: Int64, afterEventID: Int64, gap: Gap) {
        self.id = id
        self.afterEventID = afterEventID
        self.gap = gap
    }
}
