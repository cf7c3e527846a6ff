internal import GRDB
internal import Model

/// Finds the events of one query within one snapshot of the database: walks blocks from the wanted end, and within a
/// block only the rows that its postings name.
struct EventReader {
    private let db: Database
    private let catalog: SeriesCatalog
    private let query: EventQuery
    private let filter: SeriesFilter?
    private var matcher: ParameterMatcher?
    private var pattern: PayloadPattern?

    private(set) var budget: ReadBudget
    private var verdicts: [Int64: Bool] = [:]
    private var lastFindings: (text: [UInt8], findings: Findings)?
    private let turn: ReadTurn
    private var events: [Event] = []
    private var found = 0
    private var lastFound: Int64?
    private var needed: Int?
    /// The event behind which (in the order of the query) nothing has been looked at.
    private var reached: Int64?

    init(_ db: Database, catalog: SeriesCatalog, query: EventQuery, turn: ReadTurn) throws {
        self.db = db
        self.catalog = catalog
        self.query = query
        filter = SeriesFilter(query.filter)
        matcher = ParameterMatcher(query.filter.parameters)
        pattern = try query.filter.grep.map(PayloadPattern.init(_:))
        self.turn = turn
        budget = ReadBudget(payloadBytes: query.bytes ?? 1 << 20, turn: turn)
    }

    /// How many events were found, and the last of them: all that is known where only ids are asked for.
    var ids: (found: Int, last: Int64?) { (found, lastFound) }

    mutating func page() throws -> EventPage {
        guard let stored = try EventRange.stored(db) else { return EventPage() }
        guard !query.isEmpty else { return EventPage(newestEventID: stored.upperBound) }
        let low = max(stored.lowerBound, (query.after ?? 0).addingReportingOverflow(1).partialValue)
        let high = min(stored.upperBound, max(query.before ?? .max, 1) - 1)
        guard low <= high, (query.after ?? 0) < .max else { return EventPage(newestEventID: stored.upperBound) }
        try walk(low...high)
        let end = query.order == .oldest ? high : low
        return EventPage(
            events: events, next: reached.flatMap { $0 == end ? nil : $0 }, newestEventID: stored.upperBound,
            needed: needed)
    }

    /// - Note: `reached` stays `nil` unless the walk stops before its end.
    private mutating func walk(_ range: ClosedRange<Int64>) throws {
        let open = try EventRange.openStart(db)
        let whole = range.lowerBound < open ? range.lowerBound...min(range.upperBound, open - 1) : nil
        let rest = range.upperBound >= open ? max(range.lowerBound, open)...range.upperBound : nil
        switch query.order {
        case .oldest:
            if let whole, try !walkBlocks(whole) { return }
            if let rest { _ = try readOpen(rest) }
        case .newest:
            if let rest, try !readOpen(rest) { return }
            if let whole { _ = try walkBlocks(whole) }
        }
    }

    // MARK: blocks

    /// - Returns: whether the walk may go on.
    private mutating func walkBlocks(_ range: ClosedRange<Int64>) throws -> Bool {
        let direction = query.order == .oldest ? "ASC" : "DESC"
        let blocks = try BareStatement(
            db,
            """
            SELECT block, last_id FROM blocks WHERE block <= ?1 AND last_id >= ?2 AND max_time >= ?3 AND min_time <= ?4
            AND block >= (SELECT coalesce(max(block), 0) FROM blocks WHERE block <= ?2) ORDER BY block \(direction)
            """)
        try blocks.bind(1, range.upperBound)
        try blocks.bind(2, range.lowerBound)
        try blocks.bind(3, query.times?.lowerBound ?? .min)
        try blocks.bind(4, query.times?.upperBound ?? .max)
        while try blocks.step() {
            let block = blocks.int64(0)...blocks.int64(1)
            guard try read(block, within: range) else { return false }
            guard !budget.isSpent else { return stop(at: last(of: block.clamped(to: range))) }
        }
        return true
    }

    private mutating func read(_ block: ClosedRange<Int64>, within range: ClosedRange<Int64>) throws -> Bool {
        let candidates = try candidates(in: block.lowerBound)
        let wanted: OffsetSet
        switch (takesAllSeries, candidates) {
        case (true, nil): return try readAll(block.clamped(to: range))
        case (true, let candidates?): wanted = candidates
        case (false, nil): wanted = try posted(in: block)
        case (false, let candidates?): wanted = try posted(in: block).intersection(candidates)
        }
        let part = block.clamped(to: range)
        let ids = wanted.offsets.map { block.lowerBound + Int64($0) }.filter(part.contains)
        return try read(query.order == .oldest ? ids : ids.reversed())
    }

    /// By the parameters that are asked for; `nil` when they say nothing.
    private mutating func candidates(in block: Int64) throws -> OffsetSet? {
        guard matcher != nil else { return nil }
        budget.postings -= 64
        budget.worked(1024)
        return try ParameterValues.candidates(for: query.filter.parameters, in: block, db)
    }

    private mutating func posted(in block: ClosedRange<Int64>) throws -> OffsetSet {
        var wanted = OffsetSet()
        let postings = try BareStatement(db, "SELECT series, events, offsets FROM postings WHERE block = ?")
        try postings.bind(1, block.lowerBound)
        while try postings.step() {
            budget.postings -= 1
            budget.worked(64)
            guard try matches(series: postings.int64(0)) else { continue }
            guard wanted.insert(encoded: postings.bytes(2), count: Int(postings.int64(1))) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the postings of block \(block.lowerBound)")
            }
        }
        return wanted
    }

    /// The newest events, which have no postings yet: their rows tell the series.
    private mutating func readOpen(_ range: ClosedRange<Int64>) throws -> Bool {
        guard !takesAllSeries || query.times != nil else { return try readAll(range) }
        let rows = try rowStatement("id, series, time", over: range)
        var ids: [Int64] = []
        while try rows.step() {
            let isInTime = query.times?.contains(rows.int64(2)) ?? true
            if isInTime, try matches(series: rows.int64(1)) { ids.append(rows.int64(0)) }
        }
        return try read(ids)
    }

    private var takesAllSeries: Bool { filter == nil && query.series == nil }

    private mutating func matches(series id: Int64) throws -> Bool {
        guard query.series?.contains(id) ?? true else { return false }
        guard let filter else { return true }
        if let verdict = verdicts[id] { return verdict }
        let verdict = filter.matches(try catalog.series(id, db))
        verdicts[id] = verdict
        return verdict
    }

    // MARK: rows

    /// Whether each row must be looked at; where not, what leads to the rows has said all.
    private var looksAtRows: Bool { !query.onlyIDs || looksAtPayloads || query.times != nil }
    private var looksAtPayloads: Bool { matcher != nil || pattern != nil }

    private mutating func readAll(_ range: ClosedRange<Int64>) throws -> Bool {
        guard looksAtRows else {
            let count = min(range.count, query.limit - found)
            let isOldest = query.order == .oldest
            return find(
                count, last: isOldest ? range.lowerBound + Int64(count - 1) : range.upperBound - Int64(count - 1))
        }
        let rows = try rowStatement(columns, over: range)
        while try rows.step() {
            guard try take(rows) else { return false }
        }
        return true
    }

    private mutating func read(_ ids: [Int64]) throws -> Bool {
        guard !ids.isEmpty else { return true }
        guard looksAtRows else {
            let count = min(ids.count, query.limit - found)
            return find(count, last: ids[count - 1])
        }
        let row = try BareStatement(db, "SELECT \(columns) FROM event_rows WHERE id = ?")
        for id in ids {
            try row.bind(1, id)
            guard try row.step() else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "event \(id) is missing")
            }
            guard try take(row) else { return false }
            row.reset()
        }
        return true
    }

    private var columns: String {
        query.onlyIDs && !looksAtPayloads ? EventRow.shortColumns : EventRow.columns
    }

    private func rowStatement(_ columns: String, over range: ClosedRange<Int64>) throws -> BareStatement {
        let direction = query.order == .oldest ? "ASC" : "DESC"
        let rows = try BareStatement(
            db, "SELECT \(columns) FROM event_rows WHERE id BETWEEN ? AND ? ORDER BY id \(direction)")
        try rows.bind(1, range.lowerBound)
        try rows.bind(2, range.upperBound)
        return rows
    }

    /// - Returns: whether there may be more on this page.
    private mutating func take(_ row: borrowing BareStatement) throws -> Bool {
        budget.rows -= 1
        budget.worked(256)
        if isWanted(row) {
            guard fits(row) else { return stop(at: EventRow.id(row) + (query.order == .oldest ? -1 : 1)) }
            found += 1
            lastFound = EventRow.id(row)
            if !query.onlyIDs {
                let series = try catalog.series(EventRow.series(row), db)
                events.append(EventRow.event(row, of: series, findings: try findings(row)))
                budget.payloadBytes -= EventRow.payload(row).count
            }
        }
        guard found < query.limit, !budget.isSpent else { return stop(at: EventRow.id(row)) }
        return true
    }

    /// Whether the page has room for the event; where not even an empty one has, `needed` says so.
    private mutating func fits(_ row: borrowing BareStatement) -> Bool {
        guard !query.onlyIDs, let most = query.bytes else { return true }
        let bytes = EventRow.payload(row).count
        if bytes <= budget.payloadBytes { return true }
        if events.isEmpty, bytes > most { needed = bytes }
        return false
    }

    /// Takes events that need no look.
    /// - Returns: whether there may be more.
    private mutating func find(_ count: Int, last: Int64) -> Bool {
        found += count
        lastFound = last
        return found < query.limit ? true : stop(at: last)
    }

    private mutating func isWanted(_ row: borrowing BareStatement) -> Bool {
        guard query.times?.contains(EventRow.time(row)) ?? true else { return false }
        guard looksAtPayloads else { return true }
        let payload = EventRow.payload(row)
        budget.worked(payload.count)
        return (matcher?.matches(payload) ?? true) && (pattern?.matches(payload, until: turn) ?? true)
    }

    /// The same finding usually comes many times in a row.
    private mutating func findings(_ row: borrowing BareStatement) throws -> Findings? {
        let text = EventRow.findingsText(row)
        guard !text.isEmpty else { return nil }
        if let last = lastFindings, last.text.elementsEqual(text) { return last.findings }
        let findings = try EventRow.findings(row)
        lastFindings = findings.map { (Array(text), $0) }
        return findings
    }

    private mutating func stop(at id: Int64) -> Bool {
        reached = id
        return false
    }

    private func last(of range: ClosedRange<Int64>) -> Int64 {
        query.order == .oldest ? range.upperBound : range.lowerBound
    }
}
