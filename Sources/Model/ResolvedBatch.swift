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
    package var progress: ReadingProgress
    /// As in `EntryBatch`.
    package var entriesRead: Int
    package var lastRealtimeMicroseconds: UInt64?
    package var reachedEnd: Bool
    package var readUntilMicroseconds: UInt64?

    package init(
        bytes: [UInt8] = [], events: [ResolvedEvent] = [], gaps: [Gap] = [], progress: ReadingProgress = .init(),
        entriesRead: Int = 0, lastRealtimeMicroseconds: UInt64? = nil, reachedEnd: Bool = false,
        readUntilMicroseconds: UInt64? = nil
    ) {
        self.bytes = bytes
        self.events = events
        self.gaps = gaps
        self.progress = progress
        self.entriesRead = entriesRead
        self.lastRealtimeMicroseconds = lastRealtimeMicroseconds
        self.reachedEnd = reachedEnd
        self.readUntilMicroseconds = readUntilMicroseconds
    }
}
