internal import GRDB
internal import Model

/// Writes one batch within a transaction.
struct BatchWriter {
    private let db: Database
    private let limit: SizeLimit
    private var tally = SeriesTally()
    private var seen: [Resolution: Int64] = [:]
    private var lastFindings: (findings: Findings, text: [UInt8])?

    init(_ db: Database, limit: SizeLimit) {
        self.db = db
        self.limit = limit
    }

    mutating func write(_ batch: ResolvedBatch, journal: String, state: inout WriterState) throws {
        let before = state.lastEventID
        try batch.bytes.withUnsafeBytes { try insert(batch.events, payloads: $0, state: &state) }
        try tally.save(db)
        try Totals.add(seen: seen, lastEventID: state.lastEventID, db)
        for gap in batch.gaps {
            let place = Int64(min(max(gap.entryIndex, 0), batch.events.count))
            try GapTable.insert(gap, afterEventID: before + place, db)
        }
        if let position = batch.position { try Positions.save(position, journal: journal, db) }
    }

    private mutating func insert(
        _ events: [ResolvedEvent], payloads: UnsafeRawBufferPointer, state: inout WriterState
    ) throws {
        guard !events.isEmpty else { return }
        let statement = try BareStatement(
            db,
            reusing: """
                INSERT INTO event_rows (id, series, time, monotonic, seqnum, xor_hash, pid, findings, payload)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
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
            try statement.bind(7, entry.pid.map(Int64.init))
            try statement.bind(9, unowned: payload, asText: isText(payload))
            if let findings = event.findings, !findings.isEmpty {
                try text(of: findings).withUnsafeBytes {
                    try statement.bind(8, unowned: $0, asText: true)
                    try statement.run()
                }
            } else {
                try statement.bindNull(8)
                try statement.run()
            }
            seen[event.resolution, default: 0] += 1
            state.block.append(series: series, time: time, payload: payload, findings: event.findings)
            if state.block.isFull(limit) {
                try state.block.complete(db, names: &state.findingNames, table: &state.findings)
            }
        }
    }

    /// The same finding usually comes many times in a row.
    private mutating func text(of findings: Findings) -> [UInt8] {
        if let last = lastFindings, last.findings == findings { return last.text }
        let text = FindingsText.encoded(findings)
        lastFindings = (findings, text)
        return text
    }
}
