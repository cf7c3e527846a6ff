internal import GRDB

/// A block in the database.
struct StoredBlock: Hashable {
    var ids: ClosedRange<Int64>
    var count: Int
    /// The earliest and the latest, in microseconds since 1970.
    var times: ClosedRange<Int64>
    var payloadBytes: Int

    /// A payload that is larger than blocks are meant to be has one of its own.
    var isOneLargePayload: Bool { count == 1 && payloadBytes > BlockPacker.payloadCapacity }

    /// - Throws: an error that names the block, when that is not as it was written.
    func read<Value>(_ db: Database, _ frames: BlockFrames, _ body: (BlockContent) throws -> Value) throws -> Value {
        try naming { try body(BlockContent(BlobSource(ofBlock: ids.lowerBound, db), count: count, frames: frames)) }
    }

    fileprivate func naming<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let damage as BlockDamage {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "the block with the events \(ids.lowerBound) to \(ids.upperBound): \(damage)")
        }
    }
}

/// Goes through the blocks that may have what is looked for.
struct BlockWalk: ~Copyable {
    private let db: Database
    private let rows: BareStatement
    private let matcher: BlockMatcher
    /// How many blocks were looked at, with or without success.
    private(set) var looked = 0

    /// - Parameters:
    ///   - ids: of the events that are wanted.
    ///   - isAscending: from the oldest id on, or from the newest.
    init(_ db: Database, ids: ClosedRange<Int64>, isAscending: Bool, _ matcher: BlockMatcher) throws {
        let rows = try BareStatement(
            db,
            """
            SELECT first_id, last_id, events, min_time, max_time, levels, names, payload_bytes FROM blocks
            WHERE first_id BETWEEN (SELECT coalesce(max(first_id), 0) FROM blocks WHERE first_id <= ?1) AND ?2
            AND last_id >= ?1 ORDER BY first_id \(isAscending ? "ASC" : "DESC")
            """)
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        self.db = db
        self.matcher = matcher
        self.rows = rows
    }

    /// - Returns: `nil` behind the last one.
    mutating func next() throws -> StoredBlock? {
        while try rows.step() {
            looked += 1
            let (first, last, count) = (rows.int64(0), rows.int64(1), rows.int64(2))
            let (earliest, latest) = (rows.int64(3), rows.int64(4))
            guard first <= last, earliest <= latest, count > 0, count <= Int64(BlockPacker.capacity) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the block \(first) is not as it was written")
            }
            let block = StoredBlock(
                ids: first...last, count: Int(count), times: earliest...latest, payloadBytes: Int(rows.int64(7)))
            let levels = UInt8(truncatingIfNeeded: rows.int64(5))
            guard matcher.mayMatch(times: block.times, levels: levels, names: rows.bytes(6)) else { continue }
            if try block.naming({ try PackedBlockTable.mayHaveValues(first, matcher, db) }) { return block }
        }
        return nil
    }
}
