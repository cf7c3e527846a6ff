internal import GRDB
internal import Model

/// The table `sinks`.
enum SinkTable {
    static func record(_ name: String, _ db: Database) throws -> SinkRecord? {
        try Row.fetchOne(db, sql: "SELECT * FROM sinks WHERE name = ?", arguments: [name]).map(record)
    }

    /// Sorted by name.
    static func active(_ db: Database) throws -> [SinkRecord] {
        try Row.fetchAll(db, sql: "SELECT * FROM sinks WHERE active = 1 ORDER BY name").map(record)
    }

    static func activeCount(_ db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM sinks WHERE active = 1")) ?? 0
    }

    /// The last event that every active sink has had.
    static func lastHadByAll(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(position) FROM sinks WHERE active = 1")) ?? .max
    }

    static func insert(_ name: String, position: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO sinks (name, position, delivered_events, delivered_batches, active) VALUES (?, ?, 0, 0, 1)
                """,
            arguments: [name, position])
    }

    static func activate(_ names: [String], _ db: Database) throws {
        try db.execute(sql: "UPDATE sinks SET active = 0")
        for name in names { try db.execute(sql: "UPDATE sinks SET active = 1 WHERE name = ?", arguments: [name]) }
    }

    static func delivered(_ batch: FrozenBatch, at now: UInt64, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE sinks SET position = max(position, ?), delivered_events = delivered_events + ?,
                delivered_batches = delivered_batches + 1, last_success = ? WHERE name = ?
                """,
            arguments: [batch.lastEventID, batch.eventCount, Int64(clamping: now), batch.sink])
    }

    private static func record(_ row: Row) -> SinkRecord {
        let lastSuccess: Int64? = row["last_success"]
        return SinkRecord(
            name: row["name"], position: row["position"], deliveredEvents: row["delivered_events"],
            deliveredBatches: row["delivered_batches"], lastSuccessMicroseconds: lastSuccess.map(UInt64.init(clamping:))
        )
    }
}
