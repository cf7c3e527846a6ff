internal import GRDB

/// The tables of packed blocks. Code outside this folder does not use them.
enum PackedBlockTable {
    /// The columns that queries read of every block are in tables of their own, with a few hundred bytes a row. So
    /// thousands of blocks are examined in the time that reading the data of a few takes.
    static let schema = """
        CREATE TABLE blocks ( -- runs of events, packed; the newest events are rows of their own
            first_id INTEGER PRIMARY KEY, -- id of its first event
            last_id INTEGER NOT NULL,    -- id of its last event; there may be ids between them that no event has
            events INTEGER NOT NULL,     -- how many events it has, at most 4096
            min_time INTEGER NOT NULL,   -- earliest time in it, microseconds since 1970
            max_time INTEGER NOT NULL,   -- latest time in it, microseconds since 1970
            levels INTEGER NOT NULL,     -- a bit for each level in it: 1 for emerg, 128 for debug
            payload_bytes INTEGER NOT NULL, -- how many bytes its payloads had
            names BLOB NOT NULL          -- Bloom filter of what repeats: subsystems, events, boots, ...; checksums of the row
        );
        CREATE INDEX blocks_max_time ON blocks (max_time);
        \(BlockSourceTable.schema)
        CREATE TABLE block_values ( -- what the parameters in a block are
            first_id INTEGER PRIMARY KEY, -- blocks.first_id
            filter BLOB NOT NULL         -- 4061 zeros; Bloom filter of names with their values; checksums
        );
        CREATE TABLE block_data ( -- the columns of a block
            first_id INTEGER PRIMARY KEY, -- blocks.first_id
            data BLOB NOT NULL           -- 4061 zeros, which keep the rest out of shared pages; see docs/store.md
        );
        """

    /// Returns the highest id of an event in a block, as the row of the newest block says, which may be damaged; 0 when
    /// there is no block.
    static func lastID(_ db: Database) throws -> Int64 {
        let row = try BareStatement(db, reusing: "SELECT first_id, last_id FROM blocks ORDER BY first_id DESC LIMIT 1")
        return try row.step() ? max(row.int64(0), row.int64(1)) : 0
    }

    /// Returns the newest block; `nil` when there is none, or its row is damaged.
    static func newest(_ db: Database) throws -> StoredBlock? {
        try StoredBlock.first(
            of: BareStatement(
                db, reusing: "SELECT \(StoredBlock.columns) FROM blocks ORDER BY first_id DESC LIMIT 1"))
    }

    /// Returns the first id of the last block that does not begin after `id`; 0 when there is none.
    static func firstID(upTo id: Int64, _ db: Database) throws -> Int64 {
        let row = try BareStatement(db, reusing: "SELECT coalesce(max(first_id), 0) FROM blocks WHERE first_id <= ?")
        try row.bind(1, id)
        return try row.step() ? row.int64(0) : 0
    }

    static func insert(_ block: PackedBlock, _ db: Database) throws {
        let row = try BareStatement(
            db,
            reusing: """
                INSERT INTO blocks (first_id, last_id, events, min_time, max_time, levels, payload_bytes, names)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try row.bind(1, block.ids.lowerBound)
        try row.bind(2, block.ids.upperBound)
        try row.bind(3, Int64(block.count))
        try row.bind(4, block.times.lowerBound)
        try row.bind(5, block.times.upperBound)
        try row.bind(6, Int64(block.levels))
        try row.bind(7, Int64(block.payloadBytes))
        var names: [UInt8] = []
        PlainPart.append(block.names, to: &names, seed: StoredBlock(block).checksum(levels: block.levels))
        try names.withUnsafeBytes {
            try row.bind(8, unowned: $0, asText: false)
            try row.run()
        }
        try BlockSourceTable.insert(block, db)
        let id = block.ids.lowerBound
        var values: [UInt8] = []
        PlainPart.append(block.values, to: &values)
        try insert("INSERT INTO block_values (first_id, filter) VALUES (?, ?)", id, values, db)
        try insert("INSERT INTO block_data (first_id, data) VALUES (?, ?)", id, block.data, db)
    }

    private static func insert(_ sql: String, _ id: Int64, _ bytes: [UInt8], _ db: Database) throws {
        let row = try BareStatement(db, reusing: sql)
        try row.bind(1, id)
        try OverflowBlob.bytes(bytes).withUnsafeBytes {
            try row.bind(2, unowned: $0, asText: false)
            try row.run()
        }
    }

    /// Returns the block whose newest event is the oldest. Blocks whose rows are damaged are passed over.
    /// - Parameter id: only blocks without events after this one are considered.
    static func oldest(upTo id: Int64, _ db: Database) throws -> StoredBlock? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT \(StoredBlock.columns) FROM blocks
                WHERE last_id <= ? ORDER BY max_time
                """)
        try row.bind(1, id)
        return try StoredBlock.first(of: row)
    }

    /// Returns the ids that the events of the first block may have, and about the time of the newest, without what only its
    /// row says of it: the row may be damaged.
    /// - Parameter id: only blocks without events after this one are considered.
    static func first(upTo id: Int64, _ db: Database) throws -> (ids: ClosedRange<Int64>, newestTime: Int64)? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT first_id, coalesce(
                    (SELECT first_id FROM blocks ORDER BY first_id LIMIT 1 OFFSET 1), (SELECT min(id) FROM open_events)) - 1,
                min(max_time, coalesce((SELECT max(max_time) FROM block_sources WHERE first_id = blocks.first_id), max_time))
                FROM blocks ORDER BY first_id LIMIT 1
                """)
        guard try row.step() else { return nil }
        let (first, last) = (row.int64(0), try row.optionalInt64(1) ?? Totals.lastEventID(db))
        return last <= id ? (first...max(first, last), row.int64(2)) : nil
    }

    /// A query for the space that a block takes, up to the id of its first event.
    static let selectBytes = """
        SELECT length(names) + length(filter) + length(data)
        FROM blocks JOIN block_values USING (first_id) JOIN block_data USING (first_id) WHERE blocks.first_id
        """

    /// Returns how much space a block takes, without reading it.
    /// - Parameter id: the id of its first event.
    static func bytes(ofBlock id: Int64, _ db: Database) throws -> Int64 {
        let row = try BareStatement(db, reusing: "\(selectBytes) = ?")
        try row.bind(1, id)
        return try row.step() ? row.int64(0) : 0
    }

    /// - Parameter id: the id of the block's first event.
    static func remove(_ id: Int64, _ db: Database) throws {
        for table in ["blocks", "block_sources", "block_values", "block_data"] {
            let row = try BareStatement(db, reusing: "DELETE FROM \(table) WHERE first_id = ?")
            try row.bind(1, id)
            try row.run()
        }
    }

    /// Replaces a block with one that has some of its events.
    /// - Parameters:
    ///   - id: the id of the old block's first event.
    ///   - block: `nil` when no event is left.
    static func replace(_ id: Int64, by block: PackedBlock?, _ db: Database) throws {
        try remove(id, db)
        if let block { try insert(block, db) }
    }

    /// Returns whether a block may have the values that the query asks for.
    static func mayHaveValues(_ id: Int64, _ matcher: BlockMatcher, _ db: Database) throws -> Bool {
        guard matcher.asksForValues else { return true }
        let row = try BareStatement(db, reusing: "SELECT filter FROM block_values WHERE first_id = ?")
        try row.bind(1, id)
        guard try row.step() else { throw BlockDamage("its filter is missing") }
        return matcher.mayHaveValues(try PlainPart.checked(OverflowBlob.content(row.bytes(0))))
    }
}
