/// A place where entries are missing, or may be.
package struct Gap: Hashable, Sendable {
    package enum Cause: String, Sendable, CaseIterable {
        /// A journal file was deleted before it was read to its end.
        case deleted
        /// A part of a journal file could not be read.
        case damaged
        /// Sequence numbers are missing and no file has them. Files may have been deleted before Gloss read them.
        case missing
        /// journald did not store messages, because of its rate limit or because it missed kernel messages.
        case rateLimited = "rate_limited"
        /// Gloss removed events that a sink had not received (`store.when_full: drop_oldest`).
        case dropped
    }

    package enum Certainty: String, Sendable, CaseIterable {
        /// A file's header or journald promised `count` entries that are not there.
        case exact
        /// At most `count` are missing, perhaps none.
        case atMost = "at_most"
    }

    package var cause: Cause
    /// When the gap was found, or the time of journald's message that reports it; microseconds since 1970.
    package var realtimeMicroseconds: UInt64
    /// The last entry before the gap, if known.
    package var from: JournalCursor?
    /// The first entry after the gap, if known.
    package var to: JournalCursor?
    /// The number of missing entries or events, if known.
    package var count: UInt64?
    package var certainty: Certainty
    /// The part of a file that could not be read.
    package var part: FilePart?
    /// The sequence numbers that are missing; for `missing`.
    package var numbers: ClosedRange<UInt64>?
    /// One sentence for people that says what is missing and from where.
    @Exact package var message: String
    /// The gap is before `entries[entryIndex]` of its batch; `entries.count` when it is after all of them.
    package var entryIndex: Int

    package init(
        cause: Cause, realtimeMicroseconds: UInt64, from: JournalCursor? = nil, to: JournalCursor? = nil,
        count: UInt64? = nil, certainty: Certainty = .exact, part: FilePart? = nil,
        numbers: ClosedRange<UInt64>? = nil, message: String, entryIndex: Int = 0
    ) {
        self.cause = cause
        self.realtimeMicroseconds = realtimeMicroseconds
        self.from = from?.withoutHash
        self.to = to?.withoutHash
        self.count = count
        self.certainty = certainty
        self.part = part
        self.numbers = numbers
        self.message = message
        self.entryIndex = entryIndex
    }

    package struct FilePart: Hashable, Sendable {
        package var fileID: ID128
        /// The path of the file when it was last read.
        @Exact package var path: String
        /// The range in bytes.
        package var range: Range<UInt64>
        /// The sequence number of the file's last entry, if all up to that are missing and the file is gone.
        package var lastSeqnum: UInt64?

        package init(fileID: ID128, path: String, range: Range<UInt64>, lastSeqnum: UInt64? = nil) {
            self.fileID = fileID
            self.path = path
            self.range = range
            self.lastSeqnum = lastSeqnum
        }
    }
}

/// A gap as it is stored.
package struct GapRecord: Hashable, Sendable {
    package var id: Int64
    /// The event after which the gap is (0: before the first), so that reads and tails can show it in its place.
    package var afterEventID: Int64
    package var gap: Gap

    package init(id: Int64, afterEventID: Int64, gap: Gap) {
        self.id = id
        self.afterEventID = afterEventID
        self.gap = gap
    }
}
