internal import GRDB
internal import Model

/// Counts the stored events of a range of time: by what was counted of each block that lies in it, and by the events of
/// those blocks that lie in it in part.
struct TimedEventUse: Sendable {
    private var walk: TimedWalk
    private var selection: UseSelection
    private(set) var table = UseTable<EventUseName>()

    /// - Parameter filter: has neither level nor boots.
    init(times: ClosedRange<Int64>, filter: EventFilter) {
        walk = TimedWalk(times: times)
        selection = UseSelection(filter)
    }

    /// - Returns: whether there is more.
    mutating func step(_ db: Database, _ turn: ReadTurn) throws -> Bool {
        var walk = walk
        let times = walk.times
        var tally = EventTally()
        let hasMore = try walk.step(
            db, turn,
            block: { block in
                try block.isWhole
                    ? tally.countStored(block: block.ids.lowerBound, db)
                    : tally.countStored(block.ids, times: times, db)
            },
            rest: { first in try tally.countStored(first...Int64.max, times: times, db) })
        self.walk = walk
        try table.add(tally, &selection, db)
        selection.forget()
        return hasMore
    }
}
