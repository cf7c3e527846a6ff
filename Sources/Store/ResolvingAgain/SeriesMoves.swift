internal import GRDB

/// Events that go from one series to another, and what of the series changes with it.
struct SeriesMoves {
    private struct Loss {
        var events: Int64 = 0
        var lastEvent: Int64 = 0

        mutating func add(_ id: Int64) {
            events += 1
            lastEvent = id
        }
    }

    private struct Move {
        var id: Int64
        var time: Int64
        var from: SeriesRow
        var to: SeriesRow
    }

    /// How far back the last event of a series is looked for when it has gone to another: in so many blocks.
    private static let blocksBack = 256

    private var moves: [Move] = []
    private var gains: [Int64: UseSum] = [:]
    private var losses: [Int64: Loss] = [:]
    /// The same by the row of `event_use`.
    private var useGains: [Int64: UseSum] = [:]
    private var useLosses: [Int64: Loss] = [:]
    /// Of each series before, the row of `event_use`.
    private var oldUses: [Int64: Int64] = [:]

    /// In ascending order of `id`.
    mutating func add(id: Int64, time: Int64, from old: Int64, to new: SeriesRow, _ db: Database) throws {
        guard old != new.id else { return }
        let oldUse = try eventUse(of: old, db)
        moves.append(Move(id: id, time: time, from: SeriesRow(id: old, eventUse: oldUse), to: new))
        let gain = UseSum(count: 1, times: time...time, lastEvent: id)
        gains[new.id, default: UseSum()].add(gain)
        losses[old, default: Loss()].add(id)
        guard oldUse != new.eventUse else { return }
        useGains[new.eventUse, default: UseSum()].add(gain)
        useLosses[oldUse, default: Loss()].add(id)
    }

    private mutating func eventUse(of series: Int64, _ db: Database) throws -> Int64 {
        if let use = oldUses[series] { return use }
        let found = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT event_use FROM series_use WHERE series = ?"), arguments: [series])
        guard let found else { throw Postings.damaged("series \(series) has no counters") }
        oldUses[series] = found
        return found
    }

    // MARK: postings

    /// And counts by block; both of complete blocks, those of the open one are in memory.
    func saveBlocks(before open: Int64, _ db: Database) throws {
        let editor = try PostingsEditor(db)
        try Blocks.forEach(of: moves.prefix { $0.id < open }, id: \.id, db) { ids, part in
            try Self.save(part, block: ids.lowerBound, editor)
            try Self.saveUse(part, block: ids.lowerBound, db)
        }
    }

    private static func save(
        _ moves: ArraySlice<Move>, block: Int64, _ postings: borrowing PostingsEditor
    ) throws {
        var changed: [Int64: OffsetSet] = [:]
        for series in Set(moves.lazy.map(\.from.id)).union(moves.lazy.map(\.to.id)) {
            changed[series] = try postings.offsets(of: series, in: block)
        }
        for move in moves {
            changed[move.from.id]?.remove(Int(move.id - block))
            changed[move.to.id]?.insert(Int(move.id - block))
        }
        for (series, offsets) in changed { try postings.save(offsets, of: series, in: block) }
    }

    private static func saveUse(_ moves: ArraySlice<Move>, block: Int64, _ db: Database) throws {
        var gains = EventTally()
        var losses: [Int64: Int64] = [:]
        for move in moves where move.from.eventUse != move.to.eventUse {
            gains.count(eventUse: move.to.eventUse, id: move.id, time: move.time)
            losses[move.from.eventUse, default: 0] += 1
        }
        guard !losses.isEmpty else { return }
        try BlockUse.save(gains, block: block, db)
        try BlockUse.subtract(losses, block: block, db)
    }

    // MARK: counters

    func saveUse(open: OpenBlock, _ db: Database) throws {
        try SeriesTable.add(gains.lazy.map { ($0.key, $0.value) }, db)
        let lose = try BareStatement(db, reusing: "UPDATE series_use SET stored = stored - ?2 WHERE series = ?1")
        var budget = Self.blocksBack
        for (series, loss) in losses {
            try lose.bind(1, series)
            try lose.bind(2, loss.events)
            try lose.run()
            try moveLast(series, loss, open: open, budget: &budget, db)
        }
        try EventUseTable.add(useGains, db)
        // Where the newest event went, another one of its series is now the newest.
        let loseUse = try BareStatement(
            db,
            reusing: """
                UPDATE event_use SET seen = seen - ?2, last_event = CASE last_event
                WHEN ?3 THEN (SELECT coalesce(max(last_event), 0) FROM series_use WHERE event_use = ?1)
                ELSE last_event END WHERE id = ?1
                """)
        for (use, loss) in useLosses {
            try loseUse.bind(1, use)
            try loseUse.bind(2, loss.events)
            try loseUse.bind(3, loss.lastEvent)
            try loseUse.run()
        }
    }

    /// Where the last event of a series went, another one is now the last. It is looked for in a bounded number of
    /// blocks: beyond them the old one stays named, of which readers know that it may no longer fit.
    private func moveLast(
        _ series: Int64, _ loss: Loss, open: OpenBlock, budget: inout Int, _ db: Database
    ) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT stored, last_event FROM series_use WHERE series = ?"), arguments: [series])
        guard let row, row["last_event"] as Int64 == loss.lastEvent else { return }
        let last = row["stored"] as Int64 == 0 ? 0 : try last(of: series, before: loss.lastEvent, open, &budget, db)
        guard let last else { return }
        try db.execute(
            sql: "UPDATE series_use SET last_event = ? WHERE series = ?", arguments: [last, series])
    }

    private func last(
        of series: Int64, before id: Int64, _ open: OpenBlock, _ budget: inout Int, _ db: Database
    ) throws -> Int64? {
        if let last = open.last(ofSeries: series) { return last }
        let blocks = try BareStatement(db, reusing: "SELECT block FROM blocks WHERE block <= ? ORDER BY block DESC")
        try blocks.bind(1, id)
        while budget > 0, try blocks.step() {
            budget -= 1
            let block = blocks.int64(0)
            if let last = try Postings.offsets(of: series, in: block, db)?.offsets.last { return block + Int64(last) }
        }
        return nil
    }
}
