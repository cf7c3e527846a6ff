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

    /// The last event that lies before `time`, however the clock was set meanwhile; 0 when there is none.
    static func last(before time: UInt64, _ db: Database) throws -> Int64 {
        let time = Int64(clamping: time)
        let open = try openStart(db)
        let newest = "SELECT id FROM event_rows WHERE id BETWEEN ? AND ? AND time < ? ORDER BY id DESC LIMIT 1"
        if let id = try Int64.fetchOne(db, sql: newest, arguments: [open, Int64.max, time]) { return id }
        let block = "SELECT block, last_id FROM blocks WHERE min_time < ? ORDER BY block DESC LIMIT 1"
        guard let block = try Row.fetchOne(db, sql: block, arguments: [time]) else { return 0 }
        let bounds: (first: Int64, last: Int64) = (block["block"], block["last_id"])
        return try Int64.fetchOne(db, sql: newest, arguments: [bounds.first, bounds.last, time]) ?? 0
    }
}
