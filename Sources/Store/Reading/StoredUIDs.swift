internal import GRDB
internal import Model

/// Finds which of some events are stored. There is no index of uids: equal events have equal times, so that only the events
/// of those times are looked at.
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

    /// Looks at the events of some times.
    /// - Parameters:
    ///   - ids: only of these; blocks are looked at as a whole.
    ///   - turn: ends the look when it is over.
    /// - Returns: the last id that was looked at; `nil` when there is no need to look further.
    mutating func look(
        at times: ClosedRange<Int64>, in ids: ClosedRange<Int64>, _ db: Database, _ turn: ReadTurn? = nil
    ) throws -> Int64? {
        guard !isComplete else { return nil }
        let matcher = try BlockMatcher(EventFilter(times: times))
        let reached = try ColumnWalk.forEach(of: ids, matcher, db, turn) { events in
            try look(at: events, matcher)
            return !isComplete
        }
        return isComplete ? nil : reached
    }

    private mutating func look(at events: some EventColumns, _ matcher: BlockMatcher) throws {
        var matcher = matcher
        for uid in try events.uids(of: try matcher.select(events)) where wanted.contains(uid) { found.insert(uid) }
    }
}
