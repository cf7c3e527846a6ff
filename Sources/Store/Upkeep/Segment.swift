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
        try db.execute(
            sql: "DELETE FROM event_rows WHERE id BETWEEN ? AND ?", arguments: [ids.lowerBound, ids.upperBound])
        if isOpen {
            state.block = OpenBlock(firstID: state.block.nextID)
        } else {
            try db.execute(sql: "DELETE FROM postings WHERE block = ?", arguments: [ids.lowerBound])
            try db.execute(sql: "DELETE FROM blocks WHERE block = ?", arguments: [ids.lowerBound])
        }
    }
}
