internal import GRDB

/// The oldest events, as much as is removed at once: a block, or, when there is none, the events that are in none yet.
struct Segment {
    var ids: ClosedRange<Int64>
    var newestTime: Int64
    var isOpen: Bool

    static func oldest(_ db: Database, _ state: WriterState) throws -> Segment? {
        let sql = "SELECT block, last_id, max_time FROM blocks ORDER BY block LIMIT 1"
        if let row = try Row.fetchOne(db, sql: sql) {
            let (first, last): (Int64, Int64) = (row["block"], row["last_id"])
            return Segment(ids: first...last, newestTime: row["max_time"], isOpen: false)
        }
        guard let times = state.block.times else { return nil }
        return Segment(
            ids: state.block.firstID...(state.block.nextID - 1), newestTime: times.upperBound, isOpen: true)
    }

    /// Within a transaction.
    func remove(_ db: Database, _ state: inout WriterState) throws {
        try overwrite(db)
        try db.execute(
            sql: "DELETE FROM event_rows WHERE id BETWEEN ? AND ?", arguments: [ids.lowerBound, ids.upperBound])
        let counts = isOpen ? state.block.counts : try Self.counts(ofBlock: ids.lowerBound, db)
        let use = try BareStatement(db, reusing: "UPDATE series_use SET stored = stored - ? WHERE series = ?")
        for (series, events) in counts {
            try use.bind(1, events)
            try use.bind(2, series)
            try use.run()
        }
        if isOpen {
            try BlockFindings.save(
                state.block.findings, block: nil, db, names: &state.findingNames, table: &state.findings)
            state.block = OpenBlock(firstID: state.block.nextID, index: state.block.index.emptied())
        } else {
            for table in ["postings", "parameter_values", "block_use", "block_findings", "blocks"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE block = ?", arguments: [ids.lowerBound])
            }
        }
    }

    /// While SQLite removes rows it moves those behind them to other pages, and may leave copies in the free space of a page
    /// that stays, where `secure_delete` does not reach them: then they are copies of nothing.
    private func overwrite(_ db: Database) throws {
        // As long as before, so that each is written where it is.
        let rows = try BareStatement(
            db,
            reusing: """
                UPDATE event_rows SET payload = zeroblob(length(CAST(payload AS BLOB))) WHERE id BETWEEN ? AND ?
                """)
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        try rows.run()
    }

    private static func counts(ofBlock block: Int64, _ db: Database) throws -> [Int64: Int64] {
        let postings = try BareStatement(db, reusing: "SELECT series, events FROM postings WHERE block = ?")
        try postings.bind(1, block)
        var counts: [Int64: Int64] = [:]
        while try postings.step() { counts[postings.int64(0)] = postings.int64(1) }
        return counts
    }
}
