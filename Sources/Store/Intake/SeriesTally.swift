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
        var series: Int64
        var events: Int64 = 0
        var times: ClosedRange<Int64>
        var lastEvent: Int64 = 0
    }

    private var slots: [Slot: Int] = [:]
    private var uses: [Use] = []

    /// - Returns: the series that the event belongs to.
    mutating func count(
        _ event: ResolvedEvent, id: Int64, time: Int64, table: inout SeriesTable, _ db: Database
    ) throws -> Int64 {
        let slot = Slot(event)
        let index: Int
        if let known = slots[slot] {
            index = known
        } else {
            uses.append(Use(series: try table.id(of: Series(event), db), times: time...time))
            index = uses.count - 1
            slots[slot] = index
        }
        let times = uses[index].times
        uses[index].events += 1
        uses[index].times = min(times.lowerBound, time)...max(times.upperBound, time)
        uses[index].lastEvent = id
        return uses[index].series
    }

    func save(_ db: Database) throws {
        let statement = try BareStatement(
            db,
            """
            INSERT INTO series_use (series, seen, stored, last_event, first_time, last_time) VALUES (?1, ?2, ?2, ?3, ?4, ?5)
            ON CONFLICT (series) DO UPDATE SET seen = seen + excluded.seen, stored = stored + excluded.stored,
            last_event = max(last_event, excluded.last_event), first_time = min(first_time, excluded.first_time),
            last_time = max(last_time, excluded.last_time)
            """)
        for use in uses {
            try statement.bind(1, use.series)
            try statement.bind(2, use.events)
            try statement.bind(3, use.lastEvent)
            try statement.bind(4, use.times.lowerBound)
            try statement.bind(5, use.times.upperBound)
            try statement.run()
        }
    }
}
