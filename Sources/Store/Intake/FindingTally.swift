internal import GRDB
internal import Model

/// The findings of the events of a block, added up before they are written: the same one usually comes many times.
struct FindingTally: Sendable {
    /// What it may take at most to write it.
    struct Cost: Sendable {
        var rows: Int64 = 0
        var bytes = 0
    }

    private struct Finding: Hashable {
        var series: Int64
        @Exact var rule: String
        @Exact var parameter: String
    }

    private struct Sum {
        var finding: Finding
        var eventUse: Int64
        var use = UseSum()
    }

    private var sums: [Sum] = []
    private var places: [Finding: Int] = [:]
    /// Of each series, the findings of what came last, and their places: events of one sort usually have the same, and
    /// to compare texts is faster than to hash them.
    private var last: [Int64: (findings: Findings, places: [Int])] = [:]
    /// Of each series, how many names that payloads made up have a sum.
    private var madeUp: [Int64: Int] = [:]
    private(set) var cost = Cost()

    mutating func count(_ findings: Findings, series: SeriesRow, id: Int64, time: Int64) {
        guard !findings.violations.isEmpty || !findings.warnings.isEmpty else { return }
        let use = UseSum(count: 1, times: time...time, lastEvent: id)
        if let last = last[series.id], last.findings == findings {
            for place in last.places { sums[place].use.add(use) }
            return
        }
        let places = findings.rules.map { place(of: $0.parameter, $0.rule, series) }
        for place in places { sums[place].use.add(use) }
        last[series.id] = (findings, places)
    }

    private mutating func place(of parameter: String, _ rule: String, _ series: SeriesRow) -> Int {
        var finding = Finding(series: series.id, rule: rule, parameter: parameter)
        if let place = places[finding] { return place }
        if FindingUseKey.isNamedByPayload(rule) {
            if madeUp[series.id, default: 0] >= FindingNames.capacity {
                finding.parameter = EventUseKey.other
                if let place = places[finding] { return place }
            }
            madeUp[series.id, default: 0] += 1
        }
        cost.rows += 1
        cost.bytes += 128 + 2 * finding.parameter.utf8.count
        places[finding] = sums.count
        sums.append(Sum(finding: finding, eventUse: series.eventUse))
        return sums.count - 1
    }

    // MARK: stored events

    /// What was found in stored events.
    /// - Parameter times: only of events within.
    init(ofStored ids: ClosedRange<Int64>, times: ClosedRange<Int64>? = nil, _ db: Database) throws {
        self.init()
        let rows = try BareStatement(db, reusing: "\(Self.select) WHERE id BETWEEN ? AND ? AND findings IS NOT NULL")
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        try count(rows, times, db)
    }

    /// What was found in the events of a complete block that belong to these series.
    init(ofStored series: Set<Int64>, in block: Int64, _ db: Database) throws {
        self.init()
        let row = try BareStatement(db, reusing: "\(Self.select) WHERE id = ? AND findings IS NOT NULL")
        for id in try Postings.ids(of: series, in: block, db) {
            try row.bind(1, id)
            try count(row, nil, db)
            row.reset()
        }
    }

    init() {}

    private static let select = """
        SELECT id, series, time, findings, event_use FROM event_rows JOIN series_use USING (series)
        """

    private mutating func count(_ rows: borrowing BareStatement, _ times: ClosedRange<Int64>?, _ db: Database) throws {
        var last: (text: [UInt8], findings: Findings)?
        while try rows.step() {
            let (id, time, text) = (rows.int64(0), rows.int64(2), rows.bytes(3))
            guard times?.contains(time) ?? true else { continue }
            // The same finding usually comes many times in a row.
            if last?.text.elementsEqual(text) != true {
                last = (Array(text), try EventRow.findings(text, of: id))
            }
            let series = SeriesRow(id: rows.int64(1), eventUse: rows.int64(4))
            if let last { count(last.findings, series: series, id: id, time: time) }
        }
    }

    /// Gives each sum, in the order in which the findings came first.
    /// - Parameter names: say which parameters are counted by name; what is made up first has a name of its own.
    func forEach(
        _ db: Database, names: inout FindingNames,
        _ body: (_ key: FindingUseKey, _ series: Int64, _ use: UseSum) throws -> Void
    ) throws {
        for sum in sums {
            let name = try names.name(sum.finding.parameter, of: sum.finding.rule, eventUse: sum.eventUse, db)
            let key = FindingUseKey(eventUse: sum.eventUse, rule: sum.finding.rule, parameter: name)
            try body(key, sum.finding.series, sum.use)
        }
    }
}
