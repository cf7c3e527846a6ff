internal import GRDB
internal import Model

/// Counts the findings of the stored events in a range of time. It looks at the rows of those series that have any.
struct TimedFindingUse: Sendable {
    private static let budget = 8192

    private var walk: TimedWalk
    private var selection: SeriesSelection
    private var names = FindingNames()
    private var last: (text: [UInt8], findings: Findings)?
    private(set) var table = UseTable<FindingUseName>()

    init(times: ClosedRange<Int64>, filter: EventFilter) {
        walk = TimedWalk(times: times)
        selection = SeriesSelection(filter)
    }

    /// - Returns: whether there is more.
    mutating func step(_ db: Database, _ catalog: SeriesCatalog) throws -> Bool {
        let series = try Int64.fetchSet(db, sql: "SELECT DISTINCT series FROM finding_use").filter {
            try selection.contains($0, catalog, db)
        }
        var walk = walk
        let times = walk.times
        defer { self.walk = walk }
        return try walk.step(
            db, budget: Self.budget,
            block: { block in
                let ids = try Postings.ids(of: series, in: block.ids.lowerBound, db)
                try add(ids, times, db, catalog)
                return 1 + ids.count
            },
            rest: { first in
                let sql = "SELECT id, series FROM event_rows WHERE id >= ? AND findings IS NOT NULL"
                let rows = try BareStatement(db, sql)
                try rows.bind(1, first)
                var ids: [Int64] = []
                while try rows.step() {
                    if series.contains(rows.int64(1)) { ids.append(rows.int64(0)) }
                }
                try add(ids, times, db, catalog)
            })
    }

    private mutating func add(
        _ ids: [Int64], _ times: ClosedRange<Int64>, _ db: Database, _ catalog: SeriesCatalog
    ) throws {
        guard !ids.isEmpty else { return }
        let row = try BareStatement(db, "SELECT \(EventRow.columns) FROM event_rows WHERE id = ?")
        for id in ids {
            try row.bind(1, id)
            guard try row.step() else { throw Postings.damaged("event \(id) is missing") }
            let time = EventRow.time(row)
            if times.contains(time), let findings = try findings(row) {
                try add(findings, kind: catalog.series(EventRow.series(row), db).kind, id: id, time: time, db)
            }
            row.reset()
        }
    }

    private mutating func add(
        _ findings: Findings, kind: EventKind, id: Int64, time: Int64, _ db: Database
    ) throws {
        let sum = UseSum(count: 1, times: time...time, lastEvent: id)
        for (rule, parameter) in findings.rules {
            let name = FindingUseName(
                dictionary: kind.dictionary, key: kind.key, rule: rule,
                parameter: try names.name(parameter, of: rule, kind: kind, db))
            table.add(sum, to: name, bytes: name.textBytes, orElse: name.bounded)
        }
    }

    /// The same finding usually comes many times in a row.
    private mutating func findings(_ row: borrowing BareStatement) throws -> Findings? {
        let text = EventRow.findingsText(row)
        guard !text.isEmpty else { return nil }
        if let last, last.text.elementsEqual(text) { return last.findings }
        let findings = try EventRow.findings(row)
        last = findings.map { (Array(text), $0) }
        return findings
    }
}
