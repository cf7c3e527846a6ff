internal import GRDB
internal import Model

/// Counts the stored events of a range of time: from postings, without looking at rows, where the whole block lies in it.
struct TimedEventUse: Sendable {
    private static let budget = 65_536
    /// Of more series, counts are kept by name only, and times are those of the block.
    private static let mostSeries = 20_000

    /// Of one series.
    private struct Use {
        var name: EventUseName
        var count: Int64 = 0
        var firstTime: Int64?
        var lastTime: Int64 = 0
        var lastEvent: Int64 = 0
        /// The block that has the last of them, as long as that was not looked for.
        var lastBlock: Int64?
    }

    private var walk: TimedWalk
    private var selection: SeriesSelection
    private var uses: [Int64: Use] = [:]
    private var more = UseTable<EventUseName>()

    init(times: ClosedRange<Int64>, filter: EventFilter) {
        walk = TimedWalk(times: times)
        selection = SeriesSelection(filter)
    }

    /// - Returns: whether there is more.
    mutating func step(_ db: Database, _ catalog: SeriesCatalog) throws -> Bool {
        var walk = walk
        let times = walk.times
        defer { self.walk = walk }
        let hasMore = try walk.step(
            db, budget: Self.budget,
            block: { block in
                try block.isWhole ? add(block, db, catalog) : addRows(block.ids, times, db, catalog)
            },
            rest: { first in
                let last = max(try Int64.fetchOne(db, sql: "SELECT max(id) FROM event_rows") ?? 0, first)
                _ = try addRows(first...last, times, db, catalog)
            })
        try findLast(db)
        return hasMore
    }

    var table: UseTable<EventUseName> {
        var table = more
        for use in uses.values {
            let sum = UseSum(
                count: use.count, times: min(use.firstTime ?? use.lastTime, use.lastTime)...use.lastTime,
                lastEvent: use.lastEvent)
            table.add(sum, to: use.name, bytes: use.name.textBytes, orElse: use.name.bounded)
        }
        return table
    }

    // MARK: blocks

    /// - Returns: how many postings there were.
    private mutating func add(_ block: TimedWalk.Block, _ db: Database, _ catalog: SeriesCatalog) throws -> Int {
        let postings = try BareStatement(db, "SELECT series, events FROM postings WHERE block = ?")
        try postings.bind(1, block.ids.lowerBound)
        var looks = 0
        while try postings.step() {
            looks += 1
            let (series, events) = (postings.int64(0), postings.int64(1))
            guard let name = try name(of: series, db, catalog) else { continue }
            guard uses[series] != nil || uses.count < Self.mostSeries else {
                let sum = UseSum(count: events, times: block.times, lastEvent: 0)
                more.add(sum, to: name, bytes: name.textBytes, orElse: name.bounded)
                continue
            }
            var use = uses[series] ?? Use(name: name)
            use.count += events
            use.lastBlock = block.ids.lowerBound
            if use.firstTime == nil, let first = try offsets(of: series, in: block.ids.lowerBound, db).first {
                use.firstTime = try time(of: block.ids.lowerBound + Int64(first), db)
            }
            uses[series] = use
        }
        return looks
    }

    private mutating func findLast(_ db: Database) throws {
        for (series, use) in uses {
            guard let block = use.lastBlock else { continue }
            guard let last = try offsets(of: series, in: block, db).last else { continue }
            var use = use
            (use.lastEvent, use.lastBlock) = (block + Int64(last), nil)
            use.lastTime = try time(of: use.lastEvent, db)
            uses[series] = use
        }
    }

    private func offsets(of series: Int64, in block: Int64, _ db: Database) throws -> [Int] {
        try Postings.offsets(of: series, in: block, db)?.offsets ?? []
    }

    private func time(of id: Int64, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT time FROM event_rows WHERE id = ?"), arguments: [id]) ?? 0
    }

    // MARK: rows

    /// - Returns: how many there were.
    private mutating func addRows(
        _ ids: ClosedRange<Int64>, _ times: ClosedRange<Int64>, _ db: Database, _ catalog: SeriesCatalog
    ) throws -> Int {
        let rows = try BareStatement(db, "SELECT id, series, time FROM event_rows WHERE id BETWEEN ? AND ?")
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        var looks = 0
        while try rows.step() {
            looks += 1
            let (id, series, time) = (rows.int64(0), rows.int64(1), rows.int64(2))
            guard times.contains(time), let name = try name(of: series, db, catalog) else { continue }
            guard uses[series] != nil || uses.count < Self.mostSeries else {
                let sum = UseSum(count: 1, times: time...time, lastEvent: id)
                more.add(sum, to: name, bytes: name.textBytes, orElse: name.bounded)
                continue
            }
            var use = uses[series] ?? Use(name: name)
            use.count += 1
            use.firstTime = use.firstTime ?? time
            (use.lastTime, use.lastEvent, use.lastBlock) = (time, id, nil)
            uses[series] = use
        }
        return looks
    }

    private mutating func name(
        of series: Int64, _ db: Database, _ catalog: SeriesCatalog
    ) throws -> EventUseName? {
        if let use = uses[series] { return use.name }
        guard try selection.contains(series, catalog, db) else { return nil }
        let found = try catalog.series(series, db)
        return found.kind.key.map {
            EventUseName(dictionary: found.kind.dictionary, key: $0, resolution: found.resolution)
        }
    }
}
