internal import GRDB
internal import Model

/// Finds which of some events are stored. There is no index of uids: equal events have equal times, so that only the blocks
/// of those times are looked through, and each has few rows.
struct StoredUIDs: Sendable {
    private let wanted: Set<EventUID>
    private(set) var found: Set<EventUID> = []

    init(among wanted: Set<EventUID>) {
        self.wanted = wanted
    }

    /// Whether nothing is asked for.
    var isEmpty: Bool { wanted.isEmpty }

    /// Takes note of an event that is to be stored.
    /// - Returns: whether it may be: it is none of those that were asked for, or it is not there yet.
    mutating func admits(_ uid: EventUID) -> Bool {
        guard wanted.contains(uid) else { return true }
        return found.insert(uid).inserted
    }

    private var isComplete: Bool { found.count == wanted.count }

    // MARK: for the connection that writes

    /// - Parameters:
    ///   - times: of those that are asked for, in any order, at least one.
    ///   - open: the block that the newest events are in.
    mutating func find(times: [Int64], open: OpenBlock, _ db: Database) throws {
        let times = times.sorted()
        guard let first = times.first, let last = times.last else { return }
        // The newest first: what comes again came lately.
        if let span = open.times, let part = Self.part(of: times, in: span) {
            try look(in: open.firstID...(open.nextID - 1), times: part, db)
        }
        let blocks = try BareStatement(
            db,
            reusing: """
                SELECT block, last_id, min_time, max_time FROM blocks WHERE max_time >= ? AND min_time <= ?
                ORDER BY block DESC
                """)
        try blocks.bind(1, first)
        try blocks.bind(2, last)
        while try !isComplete && blocks.step() {
            guard let part = Self.part(of: times, in: blocks.int64(2)...blocks.int64(3)) else { continue }
            try look(in: blocks.int64(0)...blocks.int64(1), times: part, db)
        }
    }

    /// From the first to the last of some ascending times that lie in a block's; `nil` when none does.
    private static func part(of times: [Int64], in span: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        let first = times.firstPlace { $0 >= span.lowerBound }
        let end = times.firstPlace { $0 > span.upperBound }
        return first < end ? times[first]...times[end - 1] : nil
    }

    // MARK: for connections that read

    /// - Parameter walk: through the times of those that are asked for.
    /// - Returns: whether there is more to look through.
    mutating func step(_ walk: inout TimedWalk, _ db: Database, _ turn: ReadTurn) throws -> Bool {
        guard !isComplete else { return false }
        let times = walk.times
        return try walk.step(db, turn) { block in
            try look(in: block.ids, times: times, db)
        } rest: { first in
            try look(in: first...Int64.max, times: times, db)
        }
    }

    // MARK: rows

    private mutating func look(in ids: ClosedRange<Int64>, times: ClosedRange<Int64>, _ db: Database) throws {
        guard !isComplete else { return }
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT boot_fold, monotonic, xor_hash, ordinal FROM event_rows JOIN series_use USING (series)
                WHERE id BETWEEN ? AND ? AND time BETWEEN ? AND ?
                """)
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        try rows.bind(3, times.lowerBound)
        try rows.bind(4, times.upperBound)
        while try rows.step() {
            let uid = EventUID(
                bootID: ID128(high: rows.bits(0), low: 0), monotonicMicroseconds: rows.bits(1), xorHash: rows.bits(2),
                ordinal: UInt32(truncatingIfNeeded: rows.int64(3)))
            if wanted.contains(uid) { found.insert(uid) }
        }
    }
}

extension Array {
    /// Where the first element is that meets a condition, if all behind it do as well; `count` when there is none.
    fileprivate func firstPlace(where condition: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
