internal import GRDB
internal import Model

/// The findings of one batch, added up before they are written: the same one usually comes many times.
struct FindingTally {
    private struct Source: Hashable {
        var series: Int64
        var findings: Findings
    }

    private struct Sum {
        var source: Source
        var kind: EventKind
        var events: Int64 = 0
        var times: ClosedRange<Int64>
        var lastEvent: Int64 = 0
    }

    private var sums: [Sum] = []
    private var places: [Source: Int] = [:]
    /// Of each series, the place of what came last: events of one sort usually have the same findings, and to compare
    /// texts is faster than to hash them.
    private var lastPlaces: [Int64: Int] = [:]

    var count: Int { sums.count }

    mutating func count(_ findings: Findings, series: Int64, kind: EventKind, id: Int64, time: Int64) {
        guard !findings.violations.isEmpty || !findings.warnings.isEmpty else { return }
        let place = place(of: findings, series: series, kind: kind, time: time)
        let times = sums[place].times
        sums[place].events += 1
        sums[place].times = min(times.lowerBound, time)...max(times.upperBound, time)
        sums[place].lastEvent = max(sums[place].lastEvent, id)
    }

    private mutating func place(of findings: Findings, series: Int64, kind: EventKind, time: Int64) -> Int {
        if let last = lastPlaces[series], sums[last].source.findings == findings { return last }
        let source = Source(series: series, findings: findings)
        let place = places[source] ?? sums.count
        if place == sums.count {
            sums.append(Sum(source: source, kind: kind, times: time...time))
            places[source] = place
        }
        lastPlaces[series] = place
        return place
    }

    /// Within a transaction.
    func save(_ db: Database, names: inout FindingNames, table: inout FindingTable) throws {
        var uses: [FindingUseKey: UseSum] = [:]
        // In the order in which they came: the first made-up names are those that are kept.
        for sum in sums {
            let use = UseSum(count: sum.events, times: sum.times, lastEvent: sum.lastEvent)
            for (rule, parameter) in sum.source.findings.rules {
                let name = try names.name(parameter, of: rule, kind: sum.kind, db)
                let key = FindingUseKey(series: sum.source.series, rule: rule, parameter: name)
                uses[key, default: UseSum()].add(use)
            }
        }
        try table.add(uses, db)
    }

    // MARK: migration

    /// Fills the table from the events that are stored: a database that was made before findings were counted.
    static func countStored(_ db: Database) throws {
        let catalog = SeriesCatalog()
        var (tally, names, table) = (FindingTally(), FindingNames(), FindingTable())
        let rows = try BareStatement(
            db, "SELECT \(EventRow.columns) FROM event_rows WHERE findings IS NOT NULL ORDER BY id")
        while try rows.step() {
            guard let findings = try EventRow.findings(rows) else { continue }
            let series = EventRow.series(rows)
            tally.count(
                findings, series: series, kind: try catalog.series(series, db).kind, id: EventRow.id(rows),
                time: EventRow.time(rows))
            guard tally.count >= 1000 else { continue }
            try tally.save(db, names: &names, table: &table)
            tally = FindingTally()
        }
        try tally.save(db, names: &names, table: &table)
    }
}
