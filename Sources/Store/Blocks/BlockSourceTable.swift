internal import GRDB
internal import Model

/// Whose events a block has, by the sources rules that took them.
struct SourcePart: Hashable {
    @Exact var source: String
    var events: Int
    /// Of their payloads.
    var payloadBytes: Int
}

/// The table `block_sources`: what retention asks, where a source's events are kept for another time than those of others.
enum BlockSourceTable {
    static let schema = """
        CREATE TABLE block_sources ( -- whose events are in a block
            first_id INTEGER NOT NULL,   -- blocks.first_id
            source TEXT NOT NULL,        -- the sources rule that took them
            events INTEGER NOT NULL,     -- how many there are
            bytes INTEGER NOT NULL,      -- about what they take of the block
            max_time INTEGER NOT NULL,   -- blocks.max_time
            PRIMARY KEY (first_id, source)
        ) WITHOUT ROWID;
        CREATE INDEX block_sources_max_time ON block_sources (source, max_time);
        """

    static func insert(_ block: PackedBlock, _ db: Database) throws {
        let row = try BareStatement(
            db, reusing: "INSERT INTO block_sources (first_id, source, events, bytes, max_time) VALUES (?, ?, ?, ?, ?)")
        let size = block.data.count + block.values.count + block.names.count
        for source in block.sources {
            // What is around a payload is about as long as a short one.
            let weight = (source.payloadBytes + 64 * source.events, block.payloadBytes + 64 * block.count)
            try row.bind(1, block.ids.lowerBound)
            try row.bind(2, source.source)
            try row.bind(3, Int64(source.events))
            try row.bind(4, Int64(Double(size) * Double(weight.0) / Double(weight.1)))
            try row.bind(5, block.times.upperBound)
            try row.run()
        }
    }

    /// All that blocks have events of, ascending.
    static func sources(_ db: Database) throws -> [String] {
        let row = try BareStatement(
            db, reusing: "SELECT source FROM block_sources WHERE source > ? ORDER BY source LIMIT 1")
        var sources: [String] = []
        while true {
            try row.bind(1, sources.last ?? "")
            guard try row.step() else { return sources }
            sources.append(row.text(0))
            row.reset()
        }
    }

    /// Those of a block.
    static func sources(ofBlock id: Int64, _ db: Database) throws -> Set<ExactString> {
        let row = try BareStatement(db, reusing: "SELECT source FROM block_sources WHERE first_id = ?")
        try row.bind(1, id)
        var sources: Set<ExactString> = []
        while try row.step() { sources.insert(ExactString(row.text(0))) }
        return sources
    }

    static func remove(_ source: String, ofBlock id: Int64, _ db: Database) throws {
        let row = try BareStatement(db, reusing: "DELETE FROM block_sources WHERE first_id = ? AND source = ?")
        try row.bind(1, id)
        try row.bind(2, source)
        try row.run()
    }

    /// What the events of each take, those that are in no block yet left out.
    static func uses(_ db: Database) throws -> [SourceUse] {
        let row = try BareStatement(
            db, reusing: "SELECT source, sum(events), sum(bytes) FROM block_sources GROUP BY source")
        var uses: [SourceUse] = []
        while try row.step() {
            uses.append(SourceUse(source: row.text(0), events: row.int64(1), bytes: row.int64(2)))
        }
        return uses
    }

    /// About what the events of a source take.
    static func bytes(of source: String, _ db: Database) throws -> Int64 {
        let row = try BareStatement(db, reusing: "SELECT sum(bytes) FROM block_sources WHERE source = ?")
        try row.bind(1, source)
        return try row.step() ? row.int64(0) : 0
    }

    /// Of the blocks that have events of a source, the one whose newest event is the oldest.
    /// - Parameters:
    ///   - time: only of those that have nothing from then on.
    ///   - id: only of those that have no event behind this one.
    static func oldest(of source: String, before time: Int64, upTo id: Int64, _ db: Database) throws -> StoredBlock? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT \(StoredBlock.columns) FROM blocks WHERE first_id = (
                    SELECT first_id FROM block_sources JOIN blocks USING (first_id)
                    WHERE source = ? AND block_sources.max_time < ? AND last_id <= ?
                    ORDER BY block_sources.max_time LIMIT 1)
                """)
        try row.bind(1, source)
        try row.bind(2, time)
        try row.bind(3, id)
        return try row.step() ? try StoredBlock(row) : nil
    }
}
