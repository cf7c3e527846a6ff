internal import GRDB
internal import Model

/// Changes stored events within a transaction, and with them all that was counted of them.
struct ReplacementWriter: ~Copyable {
    private let db: Database
    private let catalog: SeriesCatalog
    private var moves = SeriesMoves()
    /// Events of complete blocks whose findings were or are to be counted, ascending, with the series before and after.
    private var changedFindings: [(id: Int64, series: Set<Int64>)] = []
    private var changesOpenBlock = false
    private var rows: StoredRows
    /// Events of complete blocks, ascending.
    private var changedPayloads: [Int64] = []

    init(_ db: Database, catalog: SeriesCatalog) throws {
        rows = try StoredRows(db)
        self.db = db
        self.catalog = catalog
    }

    /// - Returns: how many events were changed, by what they are now.
    mutating func write(_ changes: [ResolvedAgain], state: inout WriterState) throws -> [Resolution: Int] {
        var latest: [Int64: ResolvedAgain] = [:]
        for change in changes { latest[change.id] = change }
        var replaced: [Resolution: Int] = [:]
        var seen: [Resolution: Int64] = [:]
        for (_, change) in latest.sorted(by: { $0.key < $1.key }) {
            guard let row = try rows.row(change.id) else { continue }
            let old = try catalog.series(row.series, db)
            let new = Series(
                origin: old.origin, level: old.level, resolution: change.resolution, kind: change.kind)
            let findings = change.findings.flatMap { $0.isEmpty ? nil : $0 }
            guard new != old || findings != row.findings || change.payload != nil else { continue }
            let series = try state.series.row(of: new, db)
            try rows.update(row.id, series: series.id, findings: findings, payload: change.payload)
            try moves.add(id: row.id, time: row.time, from: row.series, to: series, db)
            if state.block.contains(row.id) {
                state.block.move(row.id, toSeries: series.id, payload: change.payload, oldBytes: row.payloadBytes)
                changesOpenBlock = true
            } else {
                if change.payload != nil { changedPayloads.append(row.id) }
                if findings != nil || row.findings != nil {
                    changedFindings.append((row.id, [row.series, series.id]))
                }
            }
            seen[old.resolution, default: 0] -= 1
            seen[new.resolution, default: 0] += 1
            replaced[new.resolution, default: 0] += 1
        }
        try saveCounts(seen: seen, replaced: replaced.values.reduce(0, +), state: &state)
        return replaced
    }

    private mutating func saveCounts(
        seen: [Resolution: Int64], replaced: Int, state: inout WriterState
    ) throws {
        guard replaced > 0 else { return }
        try moves.saveBlocks(before: state.block.firstID, db)
        try moves.saveUse(open: state.block, db)
        try ParameterValues.renew(blocksOf: changedPayloads, state.block.index.emptied(), db)
        try BlockFindings.renew(changedFindings, db, names: &state.findingNames, table: &state.findings)
        if changesOpenBlock { try state.block.recount(db) }
        try Totals.move(seen: seen, db)
        try Totals.add(resolvedAgain: Int64(replaced), db)
        state.mayHaveUnusedSeries = true
    }
}
