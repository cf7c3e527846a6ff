internal import GRDB
internal import Model

/// Writes one batch within a transaction.
struct BatchWriter {
    private let db: Database
    private let retention: Retention
    var saved = SavedBatch()
    /// Whether the batch changes what readers see.
    private(set) var hasNews = false

    /// - Parameter retention: expired events are not stored.
    init(_ db: Database, retention: Retention) {
        self.db = db
        self.retention = retention
    }

    /// - Parameter tally: the tally of all events in the batch.
    mutating func write(_ batch: ResolvedBatch, _ tally: CountTally, journal: String, state: inout WriterState) throws {
        let before = state.lastEventID
        let admission = try Admission(batch, retention, db)
        let isWhole = admission.events.count == batch.events.count
        try append(admission.events, isWhole ? tally : CountTally(admission.events), of: batch, &state)
        let place = { (gap: Gap) in before + Int64(admission.storedEvents(before: gap.entryIndex)) }
        saved.counts = EntryCounts(
            stored: Int64(admission.events.count), skipped: batch.progress.counts.skipped,
            duplicates: batch.progress.counts.duplicates + admission.duplicates, expired: admission.expired)
        try Totals.add(entriesNotStored: saved.counts, db)
        hasNews = !admission.events.isEmpty || !batch.gaps.isEmpty
        try write(batch.progress, batch.gaps, journal: journal, keepingGaps: state.limit.gaps, place: place)
    }

    private mutating func write(
        _ progress: ReadingProgress, _ gaps: [Gap], journal: String, keepingGaps kept: Int64, place: (Gap) -> Int64
    ) throws {
        if let start = progress.startMicroseconds { try JournalTable.save(start: start, ofJournal: journal, db) }
        if let time = progress.knownUntilMicroseconds {
            try JournalTable.save(knownUntil: time, ofJournal: journal, db)
        }
        let new = try JournalFileTable.save(progress.files, ofJournal: journal, db)
        // Before the batch's own gaps: a file may have appeared and been deleted since the last batch.
        saved.closedGaps += try GapTable.removeDeleted(files: progress.files, new: new, db)
        for gap in gaps { try GapTable.insert(gap, afterEventID: place(gap), db) }
        try JournalChainTable.save(progress.chains, ofJournal: journal, db)
        var missing = MissingNumbers()
        for (boot, gaps) in progress.holes {
            try missing.reconcile(gaps, of: boot, keeping: kept, db, place: place)
        }
        saved.closedGaps += missing.closed
        hasNews = hasNews || saved.closedGaps > 0 || missing.inserted > 0
    }

    // MARK: events

    private mutating func append(
        _ events: [ResolvedEvent], _ tally: CountTally, of batch: ResolvedBatch, _ state: inout WriterState
    ) throws {
        guard !events.isEmpty else { return }
        var tally = tally
        tally.firstID = state.lastEventID + 1
        try state.counters.add(tally, db)
        saved.seen = tally.seen
        try Totals.add(seen: saved.seen, db)
        try Totals.set(lastEventID: state.lastEventID + Int64(events.count), db)
        let (findings, messages) = (FindingsTexts(events), StoredTexts(events))
        try batch.bytes.withUnsafeBytes { payloads in
            try findings.bytes.withUnsafeBytes { texts in
                try messages.bytes.withUnsafeBytes { messageBytes in
                    let stored = events.indices.lazy.map { place in
                        BlockEvent(
                            events[place], findings: UnsafeRawBufferPointer(rebasing: texts[findings.ranges[place]]),
                            payload: UnsafeRawBufferPointer(rebasing: payloads[events[place].entry.payload]),
                            text: messages.of(place, in: messageBytes))
                    }
                    try state.appender.append(
                        stored, payloadBytes: events.indices.reduce(0) { $0 + events[$1].contentBytes }, db)
                }
            }
        }
    }
}

/// The findings of events as they are stored. It remembers the last text, since many events in a row usually have the
/// same findings.
private struct FindingsTexts {
    private(set) var bytes: [UInt8] = []
    /// The range of each event's text; empty for an event without findings.
    private(set) var ranges: [Range<Int>] = []

    init(_ events: [ResolvedEvent]) {
        ranges.reserveCapacity(events.count)
        var last: (findings: Findings, range: Range<Int>)?
        for place in events.indices {
            guard let findings = events[place].findings, !findings.isEmpty else {
                ranges.append(0..<0)
                continue
            }
            if let last, last.findings == findings {
                ranges.append(last.range)
                continue
            }
            let start = bytes.count
            bytes += FindingsText.encoded(findings)
            ranges.append(start..<bytes.count)
            last = (findings, start..<bytes.count)
        }
    }
}

/// The texts of payloads as they are stored.
private struct StoredTexts {
    private(set) var bytes: [UInt8] = []
    /// The range of each event's text; no ranges if no event has one.
    private var ranges: [Range<Int>] = []

    init(_ events: [ResolvedEvent]) {
        guard events.contains(where: { $0.text != nil }) else { return }
        for event in events {
            let start = bytes.count
            bytes += StoredText.encoded(event.text)
            ranges.append(start..<bytes.count)
        }
    }

    func of(_ place: Int, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[ranges.isEmpty ? 0..<0 : ranges[place]])
    }
}

extension BlockEvent {
    /// Creates an event without an id.
    fileprivate init(
        _ event: ResolvedEvent, findings: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer,
        text: UnsafeRawBufferPointer
    ) {
        self.init(
            id: 0, origin: event.entry.origin, level: event.entry.level, pid: event.entry.pid,
            seqnum: event.entry.seqnum, monotonicMicroseconds: event.entry.monotonicMicroseconds,
            realtimeMicroseconds: event.entry.realtimeMicroseconds, entryHash: event.entry.entryHash,
            ordinal: event.entry.ordinal, kind: ResolvedKind(event.resolution, event.kind), findings: findings,
            payload: payload, text: text, program: event.program)
    }
}
