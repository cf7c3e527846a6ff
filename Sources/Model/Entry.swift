/// Where an entry comes from: everything about it that repeats from entry to entry. A reader makes one `Origin` for all
/// entries that share it, so comparing two of them by identity is usual and cheap.
package final class Origin: Hashable, Sendable {
    package let fields: SenderValues
    package let bootID: ID128
    package let seqnumID: ID128
    /// Which of the settings' `sources` took the entry, as the settings write it, such as `subsystem: com.example.*`.
    package let source: String

    package init(_ fields: SenderValues, bootID: ID128, seqnumID: ID128, source: String) {
        self.fields = fields
        self.bootID = bootID
        self.seqnumID = seqnumID
        self.source = source
    }

    /// - Parameter fields: those that are not empty.
    package convenience init(
        _ fields: [SenderField: String?], bootID: ID128, seqnumID: ID128, source: String
    ) {
        self.init(SenderValues { fields[$0] ?? nil }, bootID: bootID, seqnumID: seqnumID, source: source)
    }

    package subscript(field: SenderField) -> String? { fields[field] }

    package var subsystem: String { fields[.subsystem] ?? "" }
    package var category: String { fields[.category] ?? "" }

    /// How long its texts are. Senders' names may be anything.
    package var textBytes: Int { fields.textBytes + source.utf8.count }

    package static func == (one: Origin, other: Origin) -> Bool {
        // Those of many hosts differ in what is compared first.
        one === other
            || (one.seqnumID == other.seqnumID && one.bootID == other.bootID && one.fields == other.fields
                && one.source == other.source)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
        hasher.combine(bootID)
        hasher.combine(seqnumID)
    }
}

/// One journal entry that a `sources` rule took. Its payload's bytes are in the batch it came in.
package struct Entry: Sendable {
    package var origin: Origin
    package var level: Level
    /// `_PID`
    package var pid: Int32?
    package var seqnum: UInt64
    package var monotonicMicroseconds: UInt64
    package var realtimeMicroseconds: UInt64
    package var xorHash: UInt64
    /// How many entries of the same boot, monotonic time and hash came before it.
    package var ordinal: UInt32
    /// Whether the entry may have been read before, from another file.
    package var mayBeKnown: Bool
    /// Where in the batch's `bytes` the payload is.
    package var payload: Range<Int>
    package var flaws: Flaws

    package init(
        origin: Origin, level: Level, pid: Int32?, seqnum: UInt64, monotonicMicroseconds: UInt64,
        realtimeMicroseconds: UInt64, xorHash: UInt64, ordinal: UInt32 = 0, mayBeKnown: Bool = false,
        payload: Range<Int>, flaws: Flaws = []
    ) {
        self.origin = origin
        self.level = level
        self.pid = pid
        self.seqnum = seqnum
        self.monotonicMicroseconds = monotonicMicroseconds
        self.realtimeMicroseconds = realtimeMicroseconds
        self.xorHash = xorHash
        self.ordinal = ordinal
        self.mayBeKnown = mayBeKnown
        self.payload = payload
        self.flaws = flaws
    }

    package var cursor: JournalCursor {
        JournalCursor(
            seqnumID: origin.seqnumID, seqnum: seqnum, bootID: origin.bootID,
            monotonicMicroseconds: monotonicMicroseconds, realtimeMicroseconds: realtimeMicroseconds, xorHash: xorHash)
    }

    package var uid: EventUID {
        EventUID(
            bootID: origin.bootID, monotonicMicroseconds: monotonicMicroseconds, xorHash: xorHash, ordinal: ordinal)
    }

    /// What was already wrong with an entry when it was read.
    package struct Flaws: OptionSet, Sendable {
        package let rawValue: UInt8

        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        @inlinable package static var none: Flaws { Flaws(rawValue: 0) }
        /// The payload is longer than the field limit; only its beginning was read.
        package static let cut = Flaws(rawValue: 1 << 0)
        /// journald split a line of output, as too long or because the process changed within it (`_LINE_BREAK=line-max`
        /// or `pid-change`); this is a part of it.
        package static let split = Flaws(rawValue: 1 << 1)
        /// The payload field is missing although the entry says whose it is: a damaged journal file.
        package static let damaged = Flaws(rawValue: 1 << 2)
        /// The entry before it in the same stream of output was split: this begins in the middle of a line.
        package static let continued = Flaws(rawValue: 1 << 3)
        /// The field that the rule takes the payload from is missing; MESSAGE stands in for it.
        package static let otherField = Flaws(rawValue: 1 << 4)
    }
}

/// What one read of the journal gave: the entries that rules took, one after the other in one buffer, and how far it got.
package struct EntryBatch: Sendable {
    /// The payloads of `entries`.
    package var bytes: [UInt8]
    package var entries: [Entry]
    /// In the order in which they were found.
    package var gaps: [Gap]
    /// How far it got, since the batch before.
    package var progress = ReadingProgress()
    /// How many entries were read, taken or not.
    package var entriesRead: Int
    /// When the entry that was read last was written, in microseconds since 1970; `nil` when none was.
    package var lastRealtimeMicroseconds: UInt64?
    /// Whether the end of the journal was reached.
    package var reachedEnd: Bool
    /// What the journal had by then, in microseconds since 1970, is in this batch or in those before; `nil` when there
    /// may be more.
    package var readUntilMicroseconds: UInt64?
    /// How many bytes the origins have that were made for it.
    package var originBytes = 0

    package init(
        bytes: [UInt8] = [], entries: [Entry] = [], gaps: [Gap] = [], entriesRead: Int = 0, reachedEnd: Bool = false
    ) {
        self.bytes = bytes
        self.entries = entries
        self.gaps = gaps
        self.entriesRead = entriesRead
        self.reachedEnd = reachedEnd
    }

    /// - Parameter time: entries until then may have been read before, in microseconds since 1970.
    package mutating func markKnown(until time: UInt64) {
        for place in entries.indices where entries[place].realtimeMicroseconds <= time {
            entries[place].mayBeKnown = true
        }
    }
}

/// One field of a journal entry. A name may occur more than once in an entry.
package struct JournalField: Sendable, Hashable {
    @Exact package var name: String
    /// Any bytes, NUL and line breaks included.
    package var value: [UInt8]
    /// Whether only the beginning of the value was read.
    package var isCut: Bool

    package init(name: String, value: [UInt8], isCut: Bool = false) {
        self.name = name
        self.value = value
        self.isCut = isCut
    }
}
