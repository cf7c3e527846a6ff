/// A place where entries are missing, or may be.
package struct Gap: Hashable, Sendable {
    package enum Cause: String, Sendable, CaseIterable {
        /// A journal file was deleted before it was read to its end.
        case deleted
        /// A part of a journal file could not be read.
        case damaged
        /// Sequence numbers are missing, and no file has them: files may have been deleted before anybody looked at them.
        case missing
        /// journald did not store messages: its rate limit, or kernel messages that it missed.
        case rateLimited = "rate_limited"
        /// Gloss itself removed events that a sink had not had (`store.when_full: drop_oldest`).
        case dropped
    }

    package enum Certainty: String, Sendable, CaseIterable {
        /// As many as `count` were promised, by a file's header or by journald, and are not there.
        case exact
        /// No more than `count`, perhaps none.
        case atMost = "at_most"
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
    package var certainty: Certainty
    /// Which part of which file could not be read.
    package var part: FilePart?
    /// Which sequence numbers are missing; for `missing`.
    package var numbers: ClosedRange<UInt64>?
    /// One sentence for people: what is missing, from where.
    @Exact package var message: String
    /// The gap lies before `entries[entryIndex]` of its batch; `entries.count` when it lies behind them all.
    package var entryIndex: Int

    package init(
        cause: Cause, realtimeMicroseconds: UInt64, from: JournalCursor? = nil, to: JournalCursor? = nil,
        count: UInt64? = nil, certainty: Certainty = .exact, part: FilePart? = nil,
        numbers: ClosedRange<UInt64>? = nil, message: String, entryIndex: Int = 0
    ) {
        self.cause = cause
        self.realtimeMicroseconds = realtimeMicroseconds
        self.from = from
        self.to = to
        self.count = count
        self.certainty = certainty
        self.part = part
        self.numbers = numbers
        self.message = message
        self.entryIndex = entryIndex
    }

    package struct FilePart: Hashable, Sendable {
        package var fileID: ID128
        /// The file's path when it was read last.
        @Exact package var path: String
        /// From where to where, in bytes.
        package var range: Range<UInt64>

        package init(fileID: ID128, path: String, range: Range<UInt64>) {
            self.fileID = fileID
            self.path = path
            self.range = range
        }
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
