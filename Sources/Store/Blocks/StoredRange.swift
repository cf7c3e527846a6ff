internal import GRDB

/// Which ids there are, in blocks and of the newest events. There may be others between them that no event has.
enum StoredRange {
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
}
