internal import GRDB

/// The range of the stored events, in blocks and among the open events.
enum StoredRange {
    /// Returns the lowest and the highest id. Some ids between them may not exist.
    static func ids(_ db: Database) throws -> ClosedRange<Int64>? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT coalesce((SELECT min(first_id) FROM blocks), (SELECT min(id) FROM open_events)),
                coalesce((SELECT max(id) FROM open_events), (SELECT last_id FROM blocks ORDER BY first_id DESC LIMIT 1))
                """)
        guard try row.step(), let first = row.optionalInt64(0), let last = row.optionalInt64(1) else { return nil }
        guard first <= last else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ids of events are not in order")
        }
        return first...last
    }

    /// Returns the earliest and the latest time, in microseconds since 1970.
    static func times(_ db: Database) throws -> ClosedRange<Int64>? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT min(earliest), max(latest) FROM (
                    SELECT min(min_time) AS earliest, max(max_time) AS latest FROM blocks
                    UNION ALL SELECT min(time), max(time) FROM open_events)
                """)
        guard try row.step(), let earliest = row.optionalInt64(0), let latest = row.optionalInt64(1) else { return nil }
        return min(earliest, latest)...latest
    }

    /// Returns the number of events.
    static func count(_ db: Database) throws -> Int64 {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT (SELECT coalesce(sum(events), 0) FROM blocks) + (SELECT count(*) FROM open_events)
                """)
        return try row.step() ? row.int64(0) : 0
    }

    /// Returns how many of these ids have events.
    static func count(of ids: ClosedRange<Int64>, _ db: Database) throws -> Int64 {
        let rows = try BareStatement(
            db,
            reusing: "SELECT \(StoredBlock.columns) FROM blocks WHERE first_id BETWEEN ? AND ?")
        try rows.bind(1, PackedBlockTable.firstID(upTo: ids.lowerBound, db))
        try rows.bind(2, ids.upperBound)
        var count = try OpenEventTable.count(of: ids, db)
        while try rows.step() { count += try StoredBlock(rows).count(of: ids, db) }
        return count
    }
}
