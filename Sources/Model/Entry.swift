/// The origin of an entry: everything about it that repeats from entry to entry. A reader makes one `Origin` for all
/// entries that share it, so comparing two by identity is usually enough, and cheap.
package final class Origin: Hashable, Sendable {
    package let fields: SenderValues
    package let bootID: ID128
    package let seqnumID: ID128
    /// The rule of the settings' `sources` that took the entry, as the settings write it: `subsystem: com.example.*`.
    package let source: String
    /// The parts of the key that are in journal fields.
    package let keyFields: KeyFields

    package init(
        _ fields: SenderValues, bootID: ID128, seqnumID: ID128, source: String, keyFields: KeyFields = .none
    ) {
        self.fields = fields
        self.bootID = bootID
        self.seqnumID = seqnumID
        self.source = source
        self.keyFields = keyFields
    }

    package subscript(field: SenderField) -> String? { fields[field] }

    package var subsystem: String { fields[.subsystem] ?? "" }
    package var category: String { fields[.category] ?? "" }

    /// The length of its texts. Senders may use names of any length.
    package var textBytes: Int { fields.textBytes + source.utf8.count + keyFields.textBytes }

    package static func == (one: Origin, other: Origin) -> Bool {
        // Origins of many hosts already differ in the parts that are compared first.
        one === other
            || (one.seqnumID == other.seqnumID && one.bootID == other.bootID && one.fields == other.fields
                && one.source == other.source && one.keyFields == other.keyFields)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
        hasher.combine(keyFields)
        hasher.combine(bootID)
        hasher.combine(seqnumID)
    }
}

/// One journal entry that a `sources` rule took. The bytes of its payload are in its batch.
package struct Entry: Sendable {
    package var origin: Origin
    package var level: Level
    /// `_PID`
    package var pid: Int32?
    package var seqnum: UInt64
    package var monotonicMicroseconds: UInt64
    package var realtimeMicroseconds: UInt64
    /// A hash of the entry's fields and times with a key that only the daemon has: journald's own has none, so that whoever knows
    /// the rest of an entry would find out its secrets by trying.
    package var entryHash: UInt64
    /// The number of earlier entries with the same boot, monotonic time and hash.
    package var ordinal: UInt32
    /// Whether the entry may already have been read from another file.
    package var mayBeKnown: Bool
    /// Whether the entry may be a copy of one in files with another name. Usually it is not: it is stored, however old it is,
    /// unless it is stored already.
    package var mayBeCopy = false
    /// Whether an entry of its chain with its number was certainly read before. If its event is not stored, it may have been
    /// removed. Where `NumberRanges` are not exact, this is `false`.
    package var wasRead = false
    /// The range of the payload in the batch's `bytes`.
    package var payload: Range<Int>
    package var flaws: Flaws

    package init(
        origin: Origin, level: Level, pid: Int32?, seqnum: UInt64, monotonicMicroseconds: UInt64,
        realtimeMicroseconds: UInt64, entryHash: UInt64, ordinal: UInt32 = 0, mayBeKnown: Bool = false,
        payload: Range<Int>, flaws: Flaws = []
    ) {
        self.origin = origin
        self.level = level
        self.pid = pid
        self.seqnum = seqnum
        self.monotonicMicroseconds = monotonicMicroseconds
        self.realtimeMicroseconds = realtimeMicroseconds
        self.entryHash = entryHash
        self.ordinal = ordinal
        self.mayBeKnown = mayBeKnown
        self.payload = payload
        self.flaws = flaws
    }

    package var cursor: JournalCursor {
        JournalCursor(
            seqnumID: origin.seqnumID, seqnum: seqnum, bootID: origin.bootID,
            monotonicMicroseconds: monotonicMicroseconds, realtimeMicroseconds: realtimeMicroseconds)
    }

    package var uid: EventUID {
        EventUID(
            bootID: origin.bootID, monotonicMicroseconds: monotonicMicroseconds, entryHash: entryHash, ordinal: ordinal)
    }

    /// The flaws that an entry already had when it was read.
    package struct Flaws: OptionSet, Sendable {
        package let rawValue: UInt8

        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        @inlinable package static var none: Flaws { Flaws(rawValue: 0) }

        /// As of every set of options, but not generic, because each entry is asked.
        @inlinable
        package func contains(_ other: Flaws) -> Bool { rawValue & other.rawValue == other.rawValue }

        /// The payload is longer than the field limit; only its beginning was read.
        package static let cut = Flaws(rawValue: 1 << 0)
        /// This is a part of a line of output. journald split the line because it is too long or because the process
        /// changed within it (`_LINE_BREAK=line-max` or `pid-change`). Or a container's log driver split it
        /// (`CONTAINER_PARTIAL_MESSAGE=true`).
        package static let split = Flaws(rawValue: 1 << 1)
        /// The payload field is missing, or a field of the entry cannot be read since the journal file is damaged.
        package static let damaged = Flaws(rawValue: 1 << 2)
        /// The previous entry in the same stream of output was split: this one begins in the middle of a line.
        package static let continued = Flaws(rawValue: 1 << 3)
        /// The field that the rule takes the payload from is missing; the payload is MESSAGE instead.
        package static let otherField = Flaws(rawValue: 1 << 4)
        /// A field that says who the sender is, such as SUBSYSTEM, or that the key needs, is longer than names may be. Only its
        /// beginning was read.
        package static let senderCut = Flaws(rawValue: 1 << 5)
    }
}

/// The result of one read of the journal: the entries that rules took, their payloads in one buffer, and the progress.
package struct EntryBatch: Sendable {
    /// The payloads of `entries`.
    package var bytes: [UInt8]
    package var entries: [Entry]
    /// The gaps in the order in which they were found.
    package var gaps: [Gap] = []
    /// The progress since the previous batch.
    package var progress = ReadingProgress()
    /// The number of entries that were read, whether a rule took them or not.
    package var entriesRead: Int
    /// The number of entries that were passed because they are older than `journal.start`: only their heads were read.
    package var entriesPassed = 0
    /// When the last entry that was read was written, in microseconds since 1970; `nil` when none was read.
    package var lastRealtimeMicroseconds: UInt64?
    /// Whether the end of the journal was reached.
    package var reachedEnd: Bool
    /// The time until which all entries of the journal are in this batch or earlier ones, in microseconds since 1970;
    /// `nil` when there may be more entries.
    package var readUntilMicroseconds: UInt64?
    /// The number of bytes of the origins that were made for this batch.
    package var originBytes = 0

    package init(bytes: [UInt8] = [], entries: [Entry] = [], entriesRead: Int = 0, reachedEnd: Bool = false) {
        self.bytes = bytes
        self.entries = entries
        self.entriesRead = entriesRead
        self.reachedEnd = reachedEnd
    }

    /// - Parameter time: the time until which entries may already have been read, in microseconds since 1970.
    package mutating func markKnown(until time: UInt64) {
        for place in entries.indices where entries[place].realtimeMicroseconds <= time {
            entries[place].mayBeKnown = true
        }
    }
}

/// One field of a journal entry. A name may occur more than once in an entry.
package struct JournalField: Sendable, Hashable {
    @Exact package var name: String
    /// Any bytes, including NUL and line breaks.
    package var value: [UInt8]
    /// Whether only the beginning of the value was read.
    package var isCut: Bool

    package init(name: String, value: [UInt8], isCut: Bool = false) {
        self.name = name
        self.value = value
        self.isCut = isCut
    }
}

/// All fields of a journal entry.
package struct JournalEntry: Sendable {
    /// The fields in the order of the file.
    package var fields: [JournalField]
    /// The number of bytes of all values together, also if the fields were left out.
    package var bytes: Int

    package init(fields: [JournalField] = [], bytes: Int = 0) {
        self.fields = fields
        self.bytes = bytes
    }
}
