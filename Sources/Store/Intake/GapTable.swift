internal import GRDB
internal import Model

/// The table `gaps`.
enum GapTable {
    static func insert(_ gap: Gap, afterEventID: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO gaps (after_event_id, cause, time, from_cursor, to_cursor, count, message)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                afterEventID, gap.cause.rawValue, Int64(bitPattern: gap.realtimeMicroseconds), gap.from?.description,
                gap.to?.description, gap.count.map { Int64(bitPattern: $0) }, gap.message,
            ])
    }

    /// Ascending by id.
    static func records(after id: Int64, limit: Int, _ db: Database) throws -> [GapRecord] {
        try records(db, "WHERE id > ? ORDER BY id LIMIT ?", [id, max(limit, 0)])
    }

    /// Ascending by place.
    static func records(behind ids: ClosedRange<Int64>, _ db: Database) throws -> [GapRecord] {
        try records(
            db, "WHERE after_event_id BETWEEN ? AND ? ORDER BY after_event_id, id",
            [ids.lowerBound, ids.upperBound])
    }

    private static func records(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [GapRecord] {
        let columns = "id, after_event_id, cause, time, from_cursor, to_cursor, count, message"
        return try Row.fetchAll(db, sql: "SELECT \(columns) FROM gaps \(condition)", arguments: arguments).map(record)
    }

    private static func record(_ row: Row) throws -> GapRecord {
        guard let cause = Gap.Cause(rawValue: row["cause"]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "gaps.cause has an unknown value")
        }
        let from: String? = row["from_cursor"]
        let to: String? = row["to_cursor"]
        let count: Int64? = row["count"]
        let gap = Gap(
            cause: cause, realtimeMicroseconds: UInt64(bitPattern: row["time"]),
            from: from.flatMap(JournalCursor.init(_:)), to: to.flatMap(JournalCursor.init(_:)),
            count: count.map { UInt64(bitPattern: $0) }, message: row["message"])
        return GapRecord(id: row["id"], afterEventID: row["after_event_id"], gap: gap)
    }

    // MARK: upkeep

    /// How many there ever were.
    static func everSeen(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gaps'") ?? 0
    }

    /// Removes the oldest records beyond `keeping`; they stay counted.
    static func trim(keeping count: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM gaps WHERE id <= ?", arguments: [try everSeen(db) - count])
    }
}
