internal import GRDB
internal import Model

/// How far a scan of the columns of a part of the stored events has come, over several snapshots of the database.
struct ScanPlace: Sendable {
    private var after: Int64
    /// The last event of the part.
    private let end: Int64

    /// The most parts, and the fewest ids of one.
    private static let (mostParts, leastIDs) = (Int64(16), Int64(BlockPacker.capacity))

    private init(_ ids: ClosedRange<Int64>) { (after, end) = (ids.lowerBound - 1, ids.upperBound) }

    /// Returns the places where scans of all stored events begin, each of a part of them. Events that arrive later are in none;
    /// otherwise a scan might never end.
    static func parts(_ db: Database) throws -> [ScanPlace] {
        guard let stored = try StoredRange.ids(db), stored.upperBound > 0 else { return [] }
        let (first, end) = (max(stored.lowerBound, 1), stored.upperBound)
        let count = min(max(1, (end - first) / leastIDs), mostParts)
        var (places, start) = ([ScanPlace](), first)
        for part in 1..<count {
            // A block that is in two parts would be unpacked for both.
            let next = try PackedBlockTable.firstID(upTo: first + (end - first) / count * part, db)
            guard next > start else { continue }
            places.append(ScanPlace(start...next - 1))
            start = next
        }
        return places + [ScanPlace(start...end)]
    }

    /// Reads on until the turn has expired.
    /// - Parameter body: takes the columns of some events, and which of them match.
    /// - Returns: whether there is more to read.
    mutating func step(
        _ predicate: Predicate, _ db: Database, _ turn: ReadTurn, _ body: (any EventColumns, [Int]) throws -> Void
    ) throws -> Bool {
        guard after < end else { return false }
        let matcher = try BlockMatcher(predicate)
        let wanted = after + 1...end
        // The last event that was examined of a block that takes longer than there is time.
        var begun: Int64?
        let reached = try ColumnWalk.forEach(of: wanted, matcher, db, turn) { events in
            let parts = try matcher.parts(of: wanted, in: events)
            for (place, part) in parts.enumerated() {
                try body(events, matcher.select(events, of: part, until: turn))
                if place < parts.count - 1, turn.shouldEnd {
                    begun = part.upperBound
                    return false
                }
            }
            return true
        }
        after = begun ?? reached ?? end
        return after < end
    }
}
