internal import GRDB
internal import Model

/// What one batch adds to each series.
struct SeriesTally {
    /// What tells series apart within a batch, quickly: the objects that events share live as long as the batch does.
    struct Slot: Hashable {
        private var origin: ObjectIdentifier
        private var kind: ObjectIdentifier
        private var level: Level
        private var resolution: Resolution

        init(_ event: ResolvedEvent) {
            origin = ObjectIdentifier(event.entry.origin)
            kind = ObjectIdentifier(event.kind)
            level = event.entry.level
            resolution = event.resolution
        }
    }

    private struct Use {
        var series: SeriesRow
        var sum = UseSum()
    }

    private var slots: [Slot: Int] = [:]
    private var uses: [Use] = []

    /// - Returns: the series that the event belongs to.
    mutating func count(
        _ event: ResolvedEvent, id: Int64, time: Int64, table: inout SeriesTable, _ db: Database
    ) throws -> SeriesRow {
        let slot = Slot(event)
        let index: Int
        if let known = slots[slot] {
            index = known
        } else {
            uses.append(Use(series: try table.row(of: Series(event), db)))
            index = uses.count - 1
            slots[slot] = index
        }
        uses[index].sum.add(UseSum(count: 1, times: time...time, lastEvent: id))
        return uses[index].series
    }

    func save(_ db: Database) throws {
        var names: [Int64: UseSum] = [:]
        for use in uses { names[use.series.eventUse, default: UseSum()].add(use.sum) }
        try SeriesTable.add(uses.lazy.map { ($0.series.id, $0.sum) }, db)
        try EventUseTable.add(names, db)
    }
}
