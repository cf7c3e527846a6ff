internal import GRDB

/// Which ids there are. They have no holes: events are only ever removed at the old end.
enum EventRange {
    static func stored(_ db: Database) throws -> ClosedRange<Int64>? {
        guard let oldest = try Int64.fetchOne(db, sql: "SELECT min(id) FROM event_rows"),
            let newest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM event_rows")
        else { return nil }
        return oldest...newest
    }

    /// The first id that belongs to no complete block.
    static func openStart(_ db: Database) throws -> Int64 {
        1 + (try Int64.fetchOne(db, sql: "SELECT last_id FROM blocks ORDER BY block DESC LIMIT 1") ?? 0)
    }

    static func time(of id: Int64, _ db: Database) throws -> UInt64? {
        try Int64.fetchOne(db, sql: "SELECT time FROM event_rows WHERE id = ?", arguments: [id])
            .map { UInt64(bitPattern: $0) }
    }

    /// The event that arrived before all of those that are not older than `time`; `nil` when none is that young.
    static func last(beforeFirstSince time: UInt64, _ db: Database) throws -> Int64? {
        let time = Int64(clamping: time)
        let oldest = "SELECT id FROM event_rows WHERE id BETWEEN ? AND ? AND time >= ? ORDER BY id LIMIT 1"
        let block = "SELECT block, last_id FROM blocks WHERE max_time >= ? ORDER BY block LIMIT 1"
        let bounds: (first: Int64, last: Int64)
        if let block = try Row.fetchOne(db, sql: block, arguments: [time]) {
            bounds = (block["block"], block["last_id"])
        } else {
            bounds = (try openStart(db), .max)
        }
        return try Int64.fetchOne(db, sql: oldest, arguments: [bounds.first, bounds.last, time]).map { $0 - 1 }
    }
}
