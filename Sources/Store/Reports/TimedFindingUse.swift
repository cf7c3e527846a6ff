internal import GRDB
internal import Model

/// Counts the findings of the stored events in a range of time: by what was counted of each block that lies in it, and
/// by the events with findings of those blocks that lie in it in part.
struct TimedFindingUse: Sendable {
    /// Of more, counts are kept by name only.
    private static let mostFindings = 50_000

    private var walk: TimedWalk
    private var selection: UseSelection
    private var names = FindingNames()
    /// By the row of `finding_use`.
    private var sums: [Int64: UseSum] = [:]
    private(set) var table = UseTable<FindingUseName>()

    init(times: ClosedRange<Int64>, filter: EventFilter) {
        walk = TimedWalk(times: times)
        selection = UseSelection(filter)
    }

    /// - Returns: whether there is more.
    mutating func step(_ db: Database, _ turn: ReadTurn) throws -> Bool {
        var walk = walk
        let times = walk.times
        defer { self.walk = walk }
        let hasMore = try walk.step(
            db, turn,
            block: { block in
                try block.isWhole ? add(block.ids.lowerBound, db) : addEvents(block.ids, times, db)
            },
            rest: { first in try addEvents(first...Int64.max, times, db) })
        try addSums(db)
        return hasMore
    }

    private mutating func add(_ block: Int64, _ db: Database) throws {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT series, finding, events, last_event, first_time, last_time FROM block_findings WHERE block = ?
                """)
        try rows.bind(1, block)
        // The rows of a series follow each other. Names are looked at once for each sum, in `addSums`.
        var last: (series: Int64, isWanted: Bool) = (0, false)
        while try rows.step() {
            if selection.hasOrigins, rows.int64(0) != last.series {
                last = (rows.int64(0), try selection.eventUse(of: rows.int64(0), db) != nil)
            }
            guard last.isWanted || !selection.hasOrigins else { continue }
            sums[rows.int64(1), default: UseSum()].add(UseSum(rows, from: 2))
        }
        if sums.count >= Self.mostFindings { try addSums(db) }
    }

    /// Before the snapshot ends: a later one may have other rows.
    private mutating func addSums(_ db: Database) throws {
        let row = try BareStatement(db, reusing: "SELECT event_use, rule, parameter FROM finding_use WHERE id = ?")
        for (id, sum) in sums {
            try row.bind(1, id)
            guard try row.step() else { throw Postings.damaged("the counters of finding \(id) are missing") }
            let use = try selection.key(of: row.int64(0), db)
            if selection.wants(use) {
                table.add(sum, to: FindingUseName(use, rule: row.text(1), parameter: row.text(2)))
            }
            row.reset()
        }
        sums.removeAll(keepingCapacity: true)
        selection.forget()
    }

    private mutating func addEvents(
        _ ids: ClosedRange<Int64>, _ times: ClosedRange<Int64>, _ db: Database
    ) throws {
        let tally = try FindingTally(ofStored: ids, times: times, db)
        try tally.forEach(db, names: &names) { key, series, sum in
            guard try selection.eventUse(of: series, db) != nil else { return }
            let use = try selection.key(of: key.eventUse, db)
            table.add(sum, to: FindingUseName(use, rule: key.rule, parameter: key.parameter))
        }
    }
}
