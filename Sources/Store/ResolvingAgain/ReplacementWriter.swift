internal import GRDB
internal import Model

/// Changes stored events within a transaction, and with them all that was counted of them.
struct ReplacementWriter: ~Copyable {
    private let db: Database
    private let catalog: SeriesCatalog
    private var moves = SeriesMoves()
    private var added = FindingTally()
    private var removed: [FindingUseKey: Int64] = [:]
    private var rows: StoredRows
    /// Events of complete blocks, ascending.
    private var changedPayloads: [Int64] = []

    init(_ db: Database, catalog: SeriesCatalog) throws {
        rows = try StoredRows(db)
        self.db = db
        self.catalog = catalog
    }

    /// - Returns: how many events were changed.
    mutating func write(_ changes: [ResolvedAgain], state: inout WriterState) throws -> Int {
        var latest: [Int64: ResolvedAgain] = [:]
        for change in changes { latest[change.id] = change }
        var replaced = 0
        var seen: [Resolution: Int64] = [:]
        for (_, change) in latest.sorted(by: { $0.key < $1.key }) {
            guard let row = try rows.row(change.id) else { continue }
            let old = try catalog.series(row.series, db)
            let new = Series(
                origin: old.origin, level: old.level, resolution: change.resolution, kind: change.kind)
            let findings = change.findings.flatMap { $0.isEmpty ? nil : $0 }
            guard new != old || findings != row.findings || change.payload != nil else { continue }
            let series = try state.series.id(of: new, db)
            try rows.update(row.id, series: series, findings: findings, payload: change.payload)
            count(row, findings: findings, to: series, new.kind)
            moves.add(id: row.id, time: row.time, from: row.series, to: series)
            if state.block.contains(row.id) {
                state.block.move(row.id, toSeries: series, payload: change.payload, oldBytes: row.payloadBytes)
            } else if change.payload != nil {
                changedPayloads.append(row.id)
            }
            seen[old.resolution, default: 0] -= 1
            seen[new.resolution, default: 0] += 1
            replaced += 1
        }
        try saveCounts(seen: seen, replaced: replaced, state: &state)
        return replaced
    }

    private mutating func saveCounts(
        seen: [Resolution: Int64], replaced: Int, state: inout WriterState
    ) throws {
        guard replaced > 0 else { return }
        try moves.savePostings(before: state.block.firstID, db)
        try moves.saveUse(open: state.block, db)
        try ParameterValues.renew(blocksOf: changedPayloads, state.block.index.emptied(), db)
        try state.findings.subtract(removed, db)
        try added.save(db, names: &state.findingNames, table: &state.findings)
        try Totals.move(seen: seen, db)
        try Totals.add(resolvedAgain: Int64(replaced), db)
        state.mayHaveUnusedSeries = true
    }

    private mutating func count(_ row: StoredRows.Row, findings: Findings?, to series: Int64, _ kind: EventKind) {
        for (rule, parameter) in row.findings?.rules ?? [] {
            removed[FindingUseKey(series: row.series, rule: rule, parameter: parameter), default: 0] += 1
        }
        if let findings { added.count(findings, series: series, kind: kind, id: row.id, time: row.time) }
    }
}
