internal import GRDB

/// The range of the stored events, in blocks and among the open events.
enum StoredRange {
    /// Returns the lowest and the highest id. Some ids between them may not exist.
    static func ids(_ db: Database) throws -> ClosedRange<Int64>? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT coalesce((SELECT min(first_id) FROM blocks), (SELECT min(id) FROM open_events)),
                (SELECT max(id) FROM open_events)
                """)
        guard try row.step(), let first = row.optionalInt64(0) else { return nil }
        let last = try row.optionalInt64(1) ?? PackedBlockTable.newest(db)?.ids.upperBound ?? Totals.lastEventID(db)
        guard first <= last else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the ids of events are not in order")
        }
        return first...last
    }

    /// Divides ids into those before the open events, and those from the first of them on. Without open events, all are
    /// in the first part, also those that no event has yet.
    /// - Throws: an error when an open event has the id of one in a block, and perhaps should have one of these ids.
    static func parts(
        of ids: ClosedRange<Int64>, _ db: Database
    ) throws -> (packed: ClosedRange<Int64>?, open: ClosedRange<Int64>?) {
        guard let first = try firstOpen(after: .min, db) else { return (ids, nil) }
        let last = try PackedBlockTable.lastID(db)
        // Its right id is before that of the next open event. The row of the newest block says where blocks end, too: if
        // that is damaged, whoever reads the block gets the error.
        if last >= first, ids.upperBound >= first, try ids.lowerBound < firstOpen(after: last, db) ?? .max,
            try PackedBlockTable.newest(db) != nil
        {
            throw OpenEventTable.damaged("the id \(first)")
        }
        return (
            packed: ids.lowerBound < first ? ids.lowerBound...min(ids.upperBound, first - 1) : nil,
            open: ids.upperBound >= first ? max(ids.lowerBound, first)...ids.upperBound : nil
        )
    }

    private static func firstOpen(after id: Int64, _ db: Database) throws -> Int64? {
        let row = try BareStatement(db, reusing: "SELECT min(id) FROM open_events WHERE id > ?")
        try row.bind(1, id)
        return try row.step() ? row.optionalInt64(0) : nil
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

    /// Whether the event is stored, or may be in a damaged block.
    static func mayHave(_ id: Int64, _ db: Database) throws -> Bool {
        do {
            return try count(of: id...id, db) > 0
        } catch let error as DatabaseError where error.isDamage {
            return true
        }
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
