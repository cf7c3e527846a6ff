internal import GRDB
internal import Model

/// The events of one source in a block. A source is a rule of the settings that took the events.
struct SourcePart: Hashable {
    @Exact var source: String
    var events: Int
    /// The size of their payloads.
    var payloadBytes: Int
}

/// The table `block_sources`, which retention reads where the events of a source are kept for another time than those
/// of others.
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

    /// The sums of the rows. A number has no checksum, so that more than a block can have does not count. How much it has is
    /// only read where that is more than usual: it takes a page of each.
    private static let sums = (
        events: "coalesce(sum(min(max(events, 0), \(BlockPacker.capacity))), 0)",
        bytes: """
        coalesce(sum(iif(bytes BETWEEN 0 AND \(BlockPacker.payloadCapacity), bytes,
            min(max(bytes, 0), (\(PackedBlockTable.selectBytes) = block_sources.first_id)))), 0)
        """
    )

    static func insert(_ block: PackedBlock, _ db: Database) throws {
        let row = try BareStatement(
            db, reusing: "INSERT INTO block_sources (first_id, source, events, bytes, max_time) VALUES (?, ?, ?, ?, ?)")
        let size = block.data.count + block.values.count + block.names.count
        for source in block.sources {
            // The fields around a payload are about as long as a short payload.
            let weight = (source.payloadBytes + 64 * source.events, block.payloadBytes + 64 * block.count)
            try row.bind(1, block.ids.lowerBound)
            try row.bind(2, source.source)
            try row.bind(3, Int64(source.events))
            try row.bind(4, Int64(Double(size) * Double(weight.0) / Double(weight.1)))
            try row.bind(5, block.times.upperBound)
            try row.run()
        }
    }

    /// Returns all sources that blocks have events of, ascending.
    /// - Parameter passOver: gets the error of a source whose text is damaged.
    static func sources(_ db: Database, passingOver passOver: (DatabaseError) -> Void) throws -> [String] {
        // Each row is found from the one before, as SQLite has it: a damaged text would be another one here.
        let row = try BareStatement(
            db,
            reusing: """
                WITH RECURSIVE sources (source) AS (
                    SELECT min(source) FROM block_sources UNION ALL
                    SELECT (SELECT min(source) FROM block_sources WHERE block_sources.source > sources.source)
                    FROM sources WHERE source IS NOT NULL)
                SELECT source, typeof(source) = 'text' FROM sources WHERE source IS NOT NULL
                """)
        var sources: [String] = []
        while try row.step() {
            if row.int64(1) == 1, let source = String(validating: row.bytes(0), as: UTF8.self) {
                sources.append(source)
            } else {
                passOver(.damaged("a source in the table block_sources"))
            }
        }
        return sources
    }

    /// Returns the sources of a block's events.
    static func sources(ofBlock id: Int64, _ db: Database) throws -> Set<ExactString> {
        let row = try BareStatement(db, reusing: "SELECT source FROM block_sources WHERE first_id = ?")
        try row.bind(1, id)
        var sources: Set<ExactString> = []
        while try row.step() { sources.insert(ExactString(row.text(0))) }
        return sources
    }

    /// Gives the rows of a block the sources that its events have.
    static func correct(_ found: Set<ExactString>, ofBlock id: Int64, _ db: Database) throws {
        let known = try sources(ofBlock: id, db)
        let (wrong, right) = (known.subtracting(found).sorted(), found.subtracting(known).sorted())
        for (old, new) in zip(wrong, right) {
            let row = try BareStatement(
                db, reusing: "UPDATE block_sources SET source = ? WHERE first_id = ? AND source = ?")
            try row.bind(1, new.text)
            try row.bind(2, id)
            try row.bind(3, old.text)
            try row.run()
        }
        for source in wrong.dropFirst(right.count) { try remove(source.text, ofBlock: id, db) }
    }

    static func remove(_ source: String, ofBlock id: Int64, _ db: Database) throws {
        let row = try BareStatement(db, reusing: "DELETE FROM block_sources WHERE first_id = ? AND source = ?")
        try row.bind(1, id)
        try row.bind(2, source)
        try row.run()
    }

    /// Returns the space that the events of each source take, without those that are in no block yet.
    static func uses(_ db: Database) throws -> [SourceUse] {
        let row = try BareStatement(
            db,
            reusing: "SELECT source, \(sums.events), \(sums.bytes) FROM block_sources GROUP BY source")
        var uses: [SourceUse] = []
        while try row.step() {
            uses.append(SourceUse(source: row.text(0), events: row.int64(1), bytes: row.int64(2)))
        }
        return uses
    }

    /// Returns about how much space the events of a source take.
    static func bytes(of source: String, _ db: Database) throws -> Int64 {
        let row = try BareStatement(db, reusing: "SELECT \(sums.bytes) FROM block_sources WHERE source = ?")
        try row.bind(1, source)
        return try row.step() ? row.int64(0) : 0
    }

    /// Returns, of the blocks that have events of a source, the one whose newest event is the oldest. The index by time
    /// only leads to it: the rows of this table, and the time of the block's row, which has a checksum, decide.
    /// - Parameters:
    ///   - times: only blocks whose newest event is of this time are considered; `nil` for all.
    ///   - id: only blocks without events after this one are considered.
    ///   - passOver: gets the errors of blocks whose rows are damaged.
    static func oldest(
        of source: String, newestIn times: Range<Int64>? = nil, upTo id: Int64, _ db: Database,
        passingOver passOver: (DatabaseError) -> Void
    ) throws -> StoredBlock? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT \(StoredBlock.columns) FROM (
                    SELECT first_id AS id, max_time AS newest FROM block_sources
                    WHERE source = ?1 AND max_time >= ?2 AND max_time < ?3)
                CROSS JOIN blocks ON first_id = id
                WHERE max_time >= ?2 AND max_time < ?3 AND last_id <= ?4
                AND EXISTS (SELECT 1 FROM block_sources WHERE first_id = id AND source = ?1)
                ORDER BY newest
                """)
        try row.bind(1, source)
        try row.bind(2, times?.lowerBound ?? .min)
        try row.bind(3, times?.upperBound ?? .max)
        try row.bind(4, id)
        return try StoredBlock.first(of: row, passingOver: passOver)
    }
}
