internal import GRDB
internal import Model

/// The block that the newest events are in. It is kept in memory until it is complete; after a restart it is read again
/// from its rows.
struct OpenBlock: Sendable {
    private(set) var firstID: Int64
    /// Of each event, in order.
    private var series: [Int64] = []
    private(set) var payloadBytes = 0
    private(set) var times: ClosedRange<Int64>?
    private(set) var index: ParameterIndex
    private(set) var uses = EventTally()
    private(set) var findings = FindingTally()

    init(firstID: Int64, index: ParameterIndex) {
        self.firstID = firstID
        self.index = index
    }

    var nextID: Int64 { firstID + Int64(series.count) }
    var isEmpty: Bool { series.isEmpty }

    func isFull(_ limit: SizeLimit) -> Bool {
        series.count == OffsetSet.capacity || payloadBytes >= limit.blockBytes
    }

    mutating func append(
        series row: SeriesRow, time: Int64, payload: UnsafeRawBufferPointer, findings: Findings?
    ) {
        uses.count(eventUse: row.eventUse, id: nextID, time: time)
        if let findings { self.findings.count(findings, series: row, id: nextID, time: time) }
        append(series: row.id, time: time, payload: payload)
    }

    private mutating func append(series id: Int64, time: Int64, payload: UnsafeRawBufferPointer) {
        if series.isEmpty { series.reserveCapacity(OffsetSet.capacity) }
        index.insert(payload, at: series.count)
        series.append(id)
        payloadBytes += payload.count
        times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
    }

    /// Of each series, how many of these events belong to it.
    var counts: [Int64: Int64] {
        series.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    func contains(_ id: Int64) -> Bool { id >= firstID && id < nextID }

    /// - Parameters:
    ///   - payload: the new one; `nil` leaves it as it is.
    ///   - oldBytes: how long the old one was.
    mutating func move(_ id: Int64, toSeries new: Int64, payload: [UInt8]?, oldBytes: Int) {
        let offset = Int(id - firstID)
        series[offset] = new
        guard let payload else { return }
        payloadBytes += payload.count - oldBytes
        index.remove(at: offset)
        payload.withUnsafeBytes { index.insert($0, at: offset) }
    }

    /// Counts anew after events were changed.
    mutating func recount(_ db: Database) throws {
        guard !isEmpty else { return }
        uses = EventTally()
        try uses.countStored(firstID...(nextID - 1), db)
        findings = try FindingTally(ofStored: firstID...(nextID - 1), db)
    }

    func last(ofSeries id: Int64) -> Int64? {
        series.lastIndex(of: id).map { firstID + Int64($0) }
    }

    // MARK: on disk

    /// Reads what belongs to no block yet.
    /// - Parameter index: by which parameters events are to be found; without entries.
    init(_ db: Database, lastEventID: Int64, index: ParameterIndex) throws {
        let complete = try Int64.fetchOne(db, sql: "SELECT last_id FROM blocks ORDER BY block DESC LIMIT 1") ?? 0
        let rows = try BareStatement(
            db, reusing: "SELECT id, series, time, payload FROM event_rows WHERE id > ? ORDER BY id")
        try rows.bind(1, complete)
        self.init(firstID: lastEventID + 1, index: index)
        while try rows.step() {
            if isEmpty { firstID = rows.int64(0) }
            guard rows.int64(0) == nextID, series.count < OffsetSet.capacity else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "events are missing before \(rows.int64(0))")
            }
            append(series: rows.int64(1), time: rows.int64(2), payload: rows.bytes(3))
        }
        guard nextID == lastEventID + 1 else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "events are missing at the end")
        }
        try recount(db)
    }

    /// Writes what belongs to the complete block, and begins the next one.
    mutating func complete(_ db: Database, names: inout FindingNames, table: inout FindingTable) throws {
        guard let times else { return }
        let block = try BareStatement(
            db, reusing: "INSERT INTO blocks (block, last_id, min_time, max_time) VALUES (?, ?, ?, ?)")
        try block.bind(1, firstID)
        try block.bind(2, nextID - 1)
        try block.bind(3, times.lowerBound)
        try block.bind(4, times.upperBound)
        try block.run()

        var offsets: [Int64: [UInt16]] = [:]
        for (offset, id) in series.enumerated() { offsets[id, default: []].append(UInt16(offset)) }
        let posting = try BareStatement(
            db, reusing: "INSERT INTO postings (block, series, events, offsets) VALUES (?, ?, ?, ?)")
        for (id, offsets) in offsets.sorted(by: { $0.key < $1.key }) {
            try posting.bind(1, firstID)
            try posting.bind(2, id)
            try posting.bind(3, Int64(offsets.count))
            try OffsetSet.encoded(offsets).withUnsafeBytes {
                try posting.bind(4, unowned: $0, asText: false)
                try posting.run()
            }
        }
        try ParameterValues.save(index, block: firstID, db)
        try BlockUse.save(uses, block: firstID, db)
        try BlockFindings.save(findings, block: firstID, db, names: &names, table: &table)
        self = OpenBlock(firstID: nextID, index: index.emptied())
    }
}
