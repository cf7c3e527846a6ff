internal import GRDB
internal import Model

/// Finds which of some events are stored. There is no index of uids. Equal events have equal times, so that only the
/// events at those times are examined.
struct StoredUIDs: Sendable {
    private let wanted: Set<EventUID>
    private(set) var found: Set<EventUID> = []

    init(among wanted: Set<EventUID>) {
        self.wanted = wanted
    }

    /// Whether there are no uids to find.
    var isEmpty: Bool { wanted.isEmpty }

    /// Decides whether an event may be stored, and marks it as stored.
    /// - Returns: whether it may be stored: its uid is not one of those to find, or is not stored yet.
    mutating func admits(_ uid: EventUID) -> Bool {
        guard wanted.contains(uid) else { return true }
        return found.insert(uid).inserted
    }

    private var isComplete: Bool { found.count == wanted.count }

    /// Examines the events in a range of times.
    /// - Parameters:
    ///   - ids: only these events; blocks are always examined as a whole.
    ///   - turn: ends the search when it has expired.
    /// - Returns: the last id that was examined; `nil` when the search is complete.
    mutating func look(
        at times: ClosedRange<Int64>, in ids: ClosedRange<Int64>, _ db: Database, _ turn: ReadTurn? = nil
    ) throws -> Int64? {
        guard !isComplete else { return nil }
        let matcher = BlockMatcher(times: times)
        let reached = try ColumnWalk.forEach(of: ids, matcher, db, turn) { events in
            try look(at: events, matcher)
            return !isComplete
        }
        return isComplete ? nil : reached
    }

    private mutating func look(at events: some EventColumns, _ matcher: BlockMatcher) throws {
        for uid in try events.uids(of: try matcher.select(events)) where wanted.contains(uid) { found.insert(uid) }
    }
}
