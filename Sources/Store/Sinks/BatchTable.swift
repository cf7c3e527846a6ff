internal import GRDB
internal import Model

/// The table `batches`: at most one batch a sink.
enum BatchTable {
    static func load(sink: String, _ db: Database) throws -> FrozenBatch? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM batches WHERE sink = ?", arguments: [sink])
        else { return nil }
        let body: [UInt8] = try row.withUnsafeData(named: "body") {
            $0.map { Array($0.dropFirst(OffPage.zeros)) } ?? []
        }
        return FrozenBatch(
            sink: sink, key: row["key"], body: body, contentEncoding: row["content_encoding"],
            firstEventID: row["first_event_id"], lastEventID: row["last_event_id"], eventCount: row["event_count"])
    }

    static func save(_ batch: FrozenBatch, _ db: Database) throws {
        let statement = try BareStatement(
            db,
            """
            INSERT OR REPLACE INTO batches
            (sink, key, content_encoding, first_event_id, last_event_id, event_count, body) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        try statement.bind(1, batch.sink)
        try statement.bind(2, batch.key)
        try statement.bind(3, batch.contentEncoding)
        try statement.bind(4, batch.firstEventID)
        try statement.bind(5, batch.lastEventID)
        try statement.bind(6, Int64(batch.eventCount))
        try OffPage.bytes(batch.body).withUnsafeBytes {
            try statement.bind(7, unowned: $0, asText: false)
            try statement.run()
        }
    }

    /// - Returns: whether it was there.
    static func remove(_ batch: FrozenBatch, _ db: Database) throws -> Bool {
        try db.execute(
            sql: "DELETE FROM batches WHERE sink = ? AND key = ?", arguments: [batch.sink, batch.key])
        return db.changesCount > 0
    }
}
