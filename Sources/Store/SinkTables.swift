internal import GRDB
internal import Model

/// The table `sinks`.
enum SinkTable {
    static func fetch(_ name: String, _ db: Database) throws -> SinkRecord? {
        let last = try Totals.lastEventID(db)
        return try Row.fetchOne(db, sql: "SELECT * FROM sinks WHERE name = ?", arguments: [name])
            .map { try record($0, last) }
    }

    /// Returns the records of active sinks, sorted by name.
    static func active(_ db: Database) throws -> [SinkRecord] {
        let last = try Totals.lastEventID(db)
        return try Row.fetchAll(db, sql: "SELECT * FROM sinks WHERE active = 1 ORDER BY name")
            .map { try record($0, last) }
    }

    static func activeCount(_ db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM sinks WHERE active = 1")) ?? 0
    }

    /// Returns the last event that every active sink has received.
    static func lastDeliveredToAll(_ db: Database) throws -> Int64 {
        // A damaged position holds all events back.
        let statement = try db.cachedStatement(
            sql: "SELECT min(iif(position BETWEEN 0 AND ?, position, 0)) FROM sinks WHERE active = 1")
        return try Int64.fetchOne(statement, arguments: [Totals.lastEventID(db)]) ?? .max
    }

    /// Returns the last event that every active sink has received or has in its frozen batch.
    /// - Parameter batch: the end of a batch that counts instead of the one that is saved.
    static func lastFrozenForAll(
        with batch: (sink: String, lastEventID: Int64)? = nil, _ db: Database
    ) throws -> Int64 {
        let sql = """
            SELECT min(max(iif(position BETWEEN 0 AND ?3, position, 0), iif(name = ?1, ?2, coalesce(
                (SELECT last_event_id FROM batches WHERE sink = name AND last_event_id BETWEEN 0 AND ?3), 0))))
            FROM sinks WHERE active = 1
            """
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: sql), arguments: [batch?.sink, batch?.lastEventID, Totals.lastEventID(db)])
        return last ?? .max
    }

    /// Returns since when there is an active sink, in microseconds since 1970; `nil` if there is none.
    static func knownSince(_ db: Database) throws -> UInt64? {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT min(known_since) FROM sinks WHERE active = 1"))
            .map(UInt64.init(clamping:))
    }

    static func insert(_ name: String, position: Int64, now: UInt64, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO sinks (name, position, delivered_events, delivered_batches, active, known_since)
                VALUES (?, ?, 0, 0, 1, ?)
                """,
            arguments: [name, position, Int64(clamping: now)])
    }

    /// Makes exactly these sinks active.
    static func setActive(_ names: [String], _ db: Database) throws {
        try db.execute(sql: "UPDATE sinks SET active = 0")
        for name in names { try db.execute(sql: "UPDATE sinks SET active = 1 WHERE name = ?", arguments: [name]) }
    }

    /// Repeating it has no effect.
    static func recordDelivery(of batch: FrozenBatch, at now: UInt64, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE sinks SET position = ?1, delivered_events = delivered_events + ?2,
                delivered_batches = delivered_batches + 1, last_success = ?3 WHERE name = ?4 AND position < ?1
                """,
            arguments: [batch.lastEventID, batch.eventCount, Int64(clamping: now), batch.sink])
    }

    static func pass(_ name: String, to position: Int64, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE sinks SET position = max(position, ?) WHERE name = ?", arguments: [position, name])
    }

    /// - Parameter last: the id of the last event.
    private static func record(_ row: Row, _ last: Int64) throws -> SinkRecord {
        let (name, position): (String, Int64) = (try row.value("name"), try row.value("position"))
        guard (0...last).contains(position) else {
            throw DatabaseError.damaged("the position of sink \(name) is \(position), and the last event is \(last)")
        }
        let lastSuccess: Int64? = try row.value("last_success")
        return SinkRecord(
            name: name, position: position,
            deliveredEvents: try row.value("delivered_events"), deliveredBatches: try row.value("delivered_batches"),
            lastSuccessMicroseconds: lastSuccess.map(UInt64.init(clamping:)))
    }
}

/// The table `batches`, with at most one batch for each sink.
enum BatchTable {
    private static let columns =
        "sink, key, content_encoding, first_event_id, last_event_id, event_count, body, checksum"
    private static let checksum: Int32 = 7

    static func load(sink: String, _ db: Database) throws -> FrozenBatch? {
        let row = try BareStatement(db, "SELECT \(columns) FROM batches WHERE sink = ?")
        try row.bind(1, sink)
        guard try row.step() else { return nil }
        guard row.isChecksum(checksum) else { throw DatabaseError.damaged("the batch of sink \(sink) is damaged") }
        return FrozenBatch(
            sink: sink, key: row.text(1), body: Array(OverflowBlob.content(row.bytes(6))),
            contentEncoding: row.optionalText(2), firstEventID: row.int64(3), lastEventID: row.int64(4),
            eventCount: Int(row.int64(5)))
    }

    /// Returns the first and the last event of a batch, and how many it has, also of one that is damaged elsewhere;
    /// `nil` if that cannot be right.
    static func extent(
        ofSink name: String, after position: Int64, _ db: Database
    ) throws -> (ids: ClosedRange<Int64>, count: Int64)? {
        let row = try BareStatement(
            db,
            """
            SELECT first_event_id, last_event_id, event_count FROM batches WHERE sink = ?1 AND first_event_id > ?2
            AND last_event_id BETWEEN first_event_id AND ?3
            AND event_count BETWEEN 1 AND last_event_id - first_event_id + 1
            """)
        try row.bind(1, name)
        try row.bind(2, position)
        try row.bind(3, Totals.lastEventID(db))
        guard try row.step() else { return nil }
        return (row.int64(0)...row.int64(1), row.int64(2))
    }

    /// Returns the size of the batches of sinks that are not active.
    static func inactiveBytes(_ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: """
                SELECT sum(length(body)) FROM batches WHERE sink NOT IN (SELECT name FROM sinks WHERE active = 1)
                """)
        return try Int64.fetchOne(statement) ?? 0
    }

    static func save(_ batch: FrozenBatch, _ db: Database) throws {
        var row = try CheckedRow(
            db, reusing: "INSERT OR REPLACE INTO batches (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        try row.bind(batch.sink)
        try row.bind(batch.key)
        try row.bind(batch.contentEncoding)
        try row.bind(batch.firstEventID)
        try row.bind(batch.lastEventID)
        try row.bind(Int64(batch.eventCount))
        try OverflowBlob.bytes(batch.body).withUnsafeBytes {
            try row.bind(unowned: $0, asText: false)
            try row.run()
        }
    }

    static func contains(_ batch: FrozenBatch, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM batches WHERE sink = ? AND key = ?)",
            arguments: [batch.sink, batch.key]) ?? false
    }

    static func remove(_ batch: FrozenBatch, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM batches WHERE sink = ? AND key = ?", arguments: [batch.sink, batch.key])
    }

    static func remove(ofSink name: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM batches WHERE sink = ?", arguments: [name])
    }
}
