internal import GRDB
internal import Model

/// Counts the stored events of a range of time that have a level or belong to boots: from postings where the whole block
/// lies in it, since only series know those.
struct TimedSeriesUse: Sendable {
    private struct Sum {
        var count: Int64 = 0
        var firstTime: Int64?
        var lastTime: Int64 = 0
        var lastEvent: Int64 = 0
        /// The block that has the last of them, as long as that was not looked for.
        var lastBlock: Int64?
    }

    private var walk: TimedWalk
    private var selection: UseSelection
    /// By the row of `event_use`, within one step: a later snapshot may have other rows.
    private var sums: [Int64: Sum] = [:]
    private(set) var table = UseTable<EventUseName>()

    init(times: ClosedRange<Int64>, filter: EventFilter) {
        walk = TimedWalk(times: times)
        selection = UseSelection(filter)
    }

    /// - Returns: whether there is more.
    mutating func step(_ db: Database, _ turn: ReadTurn) throws -> Bool {
        var walk = walk
        let (times, origins) = (walk.times, selection.origins)
        defer { self.walk = walk }
        var rows = EventTally()
        let hasMore = try walk.step(
            db, turn,
            block: { block in
                let ids = block.ids
                try block.isWhole
                    ? add(ids.lowerBound, db) : rows.countStored(ids, times: times, where: origins, db)
            },
            rest: { first in try rows.countStored(first...Int64.max, times: times, where: origins, db) })
        try findLast(db)
        for (use, sum) in sums {
            let key = try selection.key(of: use, db)
            let times = min(sum.firstTime ?? sum.lastTime, sum.lastTime)...sum.lastTime
            table.add(UseSum(count: sum.count, times: times, lastEvent: sum.lastEvent), to: EventUseName(key))
        }
        try table.add(rows, &selection, db)
        sums.removeAll(keepingCapacity: true)
        selection.forget()
        return hasMore
    }

    // MARK: blocks

    private mutating func add(_ block: Int64, _ db: Database) throws {
        let postings = try BareStatement(db, reusing: "SELECT series, events, offsets FROM postings WHERE block = ?")
        try postings.bind(1, block)
        var firsts: [Int64: Int] = [:]
        while try postings.step() {
            guard let use = try selection.eventUse(of: postings.int64(0), db) else { continue }
            sums[use, default: Sum()].count += postings.int64(1)
            sums[use]?.lastBlock = block
            if sums[use]?.firstTime == nil, let first = try Self.offsets(postings, block).first {
                firsts[use] = min(firsts[use] ?? first, first)
            }
        }
        for (use, first) in firsts { sums[use]?.firstTime = try Self.time(of: block + Int64(first), db) }
    }

    private static func offsets(_ postings: borrowing BareStatement, _ block: Int64) throws -> [Int] {
        try Postings.offsets(postings.bytes(2), count: postings.int64(1), in: block).offsets
    }

    /// Looks for the last events only now, since most blocks are followed by another.
    private mutating func findLast(_ db: Database) throws {
        let postings = try BareStatement(db, reusing: "SELECT series, events, offsets FROM postings WHERE block = ?")
        for block in Set(sums.values.lazy.compactMap(\.lastBlock)) {
            try postings.bind(1, block)
            var lasts: [Int64: Int] = [:]
            while try postings.step() {
                guard let use = try selection.eventUse(of: postings.int64(0), db),
                    sums[use]?.lastBlock == block,
                    let last = try Self.offsets(postings, block).last
                else { continue }
                lasts[use] = max(lasts[use] ?? last, last)
            }
            postings.reset()
            for (use, last) in lasts {
                let id = block + Int64(last)
                sums[use]?.lastEvent = id
                sums[use]?.lastTime = try Self.time(of: id, db)
                sums[use]?.lastBlock = nil
            }
        }
    }

    private static func time(of id: Int64, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT time FROM event_rows WHERE id = ?"), arguments: [id]) ?? 0
    }
}
