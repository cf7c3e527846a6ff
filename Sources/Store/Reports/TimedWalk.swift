internal import GRDB

/// Walks once through what may lie in a range of time, in the order of arrival, a bounded part of it in each
/// snapshot of the database: a snapshot that is held for long keeps the write-ahead log from being emptied.
struct TimedWalk: Sendable {
    /// A complete block whose times overlap the range.
    struct Block {
        var ids: ClosedRange<Int64>
        /// Whether all of its events are in the range.
        var isWhole: Bool
    }

    let times: ClosedRange<Int64>
    private var next: Int64 = 1

    init(times: ClosedRange<Int64>) { self.times = times }

    /// - Parameters:
    ///   - body: called with at least one block.
    ///   - rest: gets the first event that is in no block yet; called once, in the last step.
    /// - Returns: whether there is more.
    mutating func step(
        _ db: Database, _ turn: ReadTurn, block body: (Block) throws -> Void, rest: (Int64) throws -> Void
    ) throws -> Bool {
        let blocks = try BareStatement(
            db,
            reusing: """
                SELECT block, last_id, min_time, max_time FROM blocks WHERE last_id >= ?1 AND max_time >= ?2 AND min_time <= ?3
                AND block >= (SELECT coalesce(max(block), 0) FROM blocks WHERE block <= ?1) ORDER BY block
                """)
        try blocks.bind(1, next)
        try blocks.bind(2, times.lowerBound)
        try blocks.bind(3, times.upperBound)
        var isFirst = true
        while try blocks.step() {
            guard isFirst || !turn.isOver else { return true }
            isFirst = false
            let ids = blocks.int64(0)...blocks.int64(1)
            let span = blocks.int64(2)...blocks.int64(3)
            let isWhole = times.contains(span.lowerBound) && times.contains(span.upperBound)
            try body(Block(ids: ids, isWhole: isWhole))
            next = ids.upperBound + 1
        }
        try rest(max(next, EventRange.openStart(db)))
        return false
    }
}
