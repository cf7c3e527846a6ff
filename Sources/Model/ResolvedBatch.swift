/// An entry after resolution, before the store has given it an id.
package struct ResolvedEvent: Sendable {
    package var entry: Entry
    package var resolution: Resolution
    package var kind: EventKind
    /// `nil`, which is the usual case, when there is nothing to say.
    package var findings: Findings?

    package init(entry: Entry, resolution: Resolution, kind: EventKind, findings: Findings? = nil) {
        self.entry = entry
        self.resolution = resolution
        self.kind = kind
        self.findings = findings
    }
}

/// An `EntryBatch` after resolution: what the store saves in one transaction.
package struct ResolvedBatch: Sendable {
    /// The payloads: `events[i].entry.payload` is a range in it.
    package var bytes: [UInt8]
    package var events: [ResolvedEvent]
    package var gaps: [Gap]
    package var position: JournalCursor?
    package var entriesRead: Int
    package var reachedEnd: Bool
    /// What the journal had by then, in microseconds since 1970, is in this batch or in those before; `nil` when there
    /// may be more.
    package var readUntilMicroseconds: UInt64?

    package init(
        bytes: [UInt8] = [], events: [ResolvedEvent] = [], gaps: [Gap] = [], position: JournalCursor? = nil,
        entriesRead: Int = 0, reachedEnd: Bool = false, readUntilMicroseconds: UInt64? = nil
    ) {
        self.bytes = bytes
        self.events = events
        self.gaps = gaps
        self.position = position
        self.entriesRead = entriesRead
        self.reachedEnd = reachedEnd
        self.readUntilMicroseconds = readUntilMicroseconds
    }
}
