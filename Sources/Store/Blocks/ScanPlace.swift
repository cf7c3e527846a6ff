internal import GRDB
internal import Model

/// How far a scan of the columns of all stored events has come, over several snapshots of the database.
struct ScanPlace: Sendable {
    private var after: Int64 = 0
    /// The last event of the scan, once it has begun. Events that arrive later are not read; otherwise the scan might never end.
    private var end: Int64?

    /// Reads on until the turn has expired.
    /// - Parameter body: takes the columns of some events, and which of them match.
    /// - Returns: whether there is more to read.
    mutating func step(
        _ predicate: Predicate, _ db: Database, _ turn: ReadTurn, _ body: (any EventColumns, [Int]) throws -> Void
    ) throws -> Bool {
        guard let stored = try StoredRange.ids(db) else { return false }
        let last = min(end ?? .max, stored.upperBound)
        end = last
        guard after < last else { return false }
        let matcher = try BlockMatcher(predicate)
        let wanted = after + 1...last
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
        after = begun ?? reached ?? last
        return begun != nil || reached != nil
    }

    /// Goes back to the first event; the end stays.
    mutating func restart() { after = 0 }
}
