internal import GRDB
internal import Model

/// Writes one batch within a transaction.
struct BatchWriter {
    private let db: Database
    private let limit: SizeLimit
    private var tally = SeriesTally()
    private var seen: [Resolution: Int64] = [:]
    private let oldest: UInt64?
    private var lastFindings: (findings: Findings, text: [UInt8])?
    /// Ordinals whose mix is in the table.
    private var mixed: Set<UInt32> = []
    private(set) var saved = SavedBatch()
    /// Whether readers see something that they did not see before, or no longer see it.
    private(set) var hasNews = false

    /// - Parameter oldest: earlier events are not stored, in microseconds since 1970; `nil`: they are whatever their age.
    init(_ db: Database, limit: SizeLimit, oldest: UInt64?) {
        self.db = db
        self.limit = limit
        self.oldest = oldest
    }

    mutating func write(_ batch: ResolvedBatch, journal: String, state: inout WriterState) throws {
        let before = state.lastEventID
        let admission = try Admission(batch, oldest: oldest, open: state.block, db)
        try batch.bytes.withUnsafeBytes { try insert(admission.events, payloads: $0, state: &state) }
        try tally.save(db)
        try Totals.add(seen: seen, lastEventID: state.lastEventID, db)
        let place = { (gap: Gap) in before + Int64(admission.storedEvents(before: gap.entryIndex)) }
        for gap in batch.gaps { try GapTable.insert(gap, afterEventID: place(gap), db) }
        saved.counts = EntryCounts(
            stored: Int64(admission.events.count), passed: batch.progress.counts.passed,
            duplicates: batch.progress.counts.duplicates + admission.duplicates, expired: admission.expired)
        try Totals.add(entriesNotStored: saved.counts, db)
        hasNews = !admission.events.isEmpty || !batch.gaps.isEmpty
        try write(batch.progress, journal: journal, place: place)
    }

    private mutating func write(_ progress: ReadingProgress, journal: String, place: (Gap) -> Int64) throws {
        if let start = progress.startMicroseconds { try JournalTable.save(start: start, ofJournal: journal, db) }
        let files = try JournalFileTable.save(progress.files, ofJournal: journal, db)
        saved.closedGaps += try GapTable.removeDeleted(files: files, db)
        try JournalChainTable.save(progress.chains, ofJournal: journal, keeping: limit.chains, db)
        var missing = MissingNumbers()
        for (boot, gaps) in progress.holes {
            try missing.reconcile(gaps, of: boot, db, place: place)
        }
        saved.closedGaps += missing.closed
        hasNews = hasNews || saved.closedGaps > 0 || missing.inserted > 0
    }

    private mutating func insert(
        _ events: [ResolvedEvent], payloads: UnsafeRawBufferPointer, state: inout WriterState
    ) throws {
        guard !events.isEmpty else { return }
        let statement = try BareStatement(
            db,
            reusing: """
                INSERT INTO event_rows (id, series, time, monotonic, seqnum, xor_hash, ordinal, pid, findings, payload)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for event in events {
            let id = state.block.nextID
            let entry = event.entry
            let time = Int64(bitPattern: entry.realtimeMicroseconds)
            let series = try tally.count(event, id: id, time: time, table: &state.series, db)
            let payload = UnsafeRawBufferPointer(rebasing: payloads[entry.payload])
            try statement.bind(1, id)
            try statement.bind(2, series.id)
            try statement.bind(3, time)
            try statement.bind(4, bits: entry.monotonicMicroseconds)
            try statement.bind(5, bits: entry.seqnum)
            try statement.bind(6, bits: entry.xorHash)
            try statement.bind(7, Int64(entry.ordinal))
            try statement.bind(8, entry.pid.map(Int64.init))
            try statement.bind(10, unowned: payload, asText: isText(payload))
            if let findings = event.findings, !findings.isEmpty {
                try text(of: findings).withUnsafeBytes {
                    try statement.bind(9, unowned: $0, asText: true)
                    try statement.run()
                }
            } else {
                try statement.bindNull(9)
                try statement.run()
            }
            if entry.ordinal > 0 { try mix(entry.ordinal) }
            seen[event.resolution, default: 0] += 1
            state.block.append(series: series, time: time, payload: payload, findings: event.findings)
            if state.block.isFull(limit) {
                try state.block.complete(db, names: &state.findingNames, table: &state.findings)
            }
        }
    }

    /// Sees to it that the view `events` can make uids of the ordinal.
    private mutating func mix(_ ordinal: UInt32) throws {
        guard mixed.insert(ordinal).inserted else { return }
        let row = try BareStatement(db, reusing: "INSERT OR IGNORE INTO uid_mixes (ordinal, mix) VALUES (?, ?)")
        try row.bind(1, Int64(ordinal))
        try row.bind(2, bits: EventUID.mixed(ordinal))
        try row.run()
    }

    /// The same finding usually comes many times in a row.
    private mutating func text(of findings: Findings) -> [UInt8] {
        if let last = lastFindings, last.findings == findings { return last.text }
        let text = FindingsText.encoded(findings)
        lastFindings = (findings, text)
        return text
    }
}
