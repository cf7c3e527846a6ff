/// An event as it is read from the store.
package struct Event: Sendable {
    /// The row in this store, from 1, ascending in the order of arrival. It has no meaning outside this store.
    package var id: Int64
    package var origin: Origin
    package var level: Level
    package var pid: Int32?
    package var seqnum: UInt64
    package var monotonicMicroseconds: UInt64
    package var realtimeMicroseconds: UInt64
    /// See `Entry.entryHash`.
    package var entryHash: UInt64
    /// The number of earlier entries with the same boot, monotonic time and hash.
    package var ordinal: UInt32
    package var resolution: Resolution
    package var kind: EventKind
    package var findings: Findings?
    /// The payload's bytes: JSON text for the resolutions that have a payload, any bytes for the others.
    package var payload: [UInt8]
    /// The text that the payload was taken from; `nil` if the payload is all there was.
    package var text: MessageText?
    package var program: ProgramFacts

    package init(
        id: Int64, origin: Origin, level: Level, pid: Int32?, seqnum: UInt64, monotonicMicroseconds: UInt64,
        realtimeMicroseconds: UInt64, entryHash: UInt64, ordinal: UInt32 = 0, resolution: Resolution, kind: EventKind,
        findings: Findings?, payload: [UInt8], text: MessageText? = nil, program: ProgramFacts = .none
    ) {
        self.id = id
        self.origin = origin
        self.level = level
        self.pid = pid
        self.seqnum = seqnum
        self.monotonicMicroseconds = monotonicMicroseconds
        self.realtimeMicroseconds = realtimeMicroseconds
        self.entryHash = entryHash
        self.ordinal = ordinal
        self.resolution = resolution
        self.kind = kind
        self.findings = findings
        self.payload = payload
        self.text = text
        self.program = program
    }

    /// What the entry had where the payload is taken from.
    package var message: [UInt8] { text?.whole(with: payload) ?? payload }

    /// The size of the payload and its text.
    package var contentBytes: Int { payload.count + (text?.bytes.count ?? 0) }

    /// The level that filters go by: the program's, if it gave one, else the journal's.
    package var effectiveLevel: Level { program.level ?? level }

    package var cursor: JournalCursor {
        JournalCursor(
            seqnumID: origin.seqnumID, seqnum: seqnum, bootID: origin.bootID,
            monotonicMicroseconds: monotonicMicroseconds, realtimeMicroseconds: realtimeMicroseconds)
    }

    /// Where its entry is in the journal.
    package var place: EntryPlace { EntryPlace(cursor: cursor, entryHash: entryHash) }

    package var uid: EventUID {
        EventUID(
            bootID: origin.bootID, monotonicMicroseconds: monotonicMicroseconds, entryHash: entryHash, ordinal: ordinal)
    }
}
