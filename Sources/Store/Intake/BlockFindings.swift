internal import GRDB

/// The table `block_findings`, and with it the counters of `finding_use`, for the connection that writes.
enum BlockFindings {
    private struct Row: Hashable {
        var series: Int64
        var finding: Int64
    }

    /// Within a transaction.
    /// - Parameter block: `nil` counts the findings without a block, of events that are removed before they are in one.
    static func save(
        _ tally: FindingTally, block: Int64?, _ db: Database, names: inout FindingNames, table: inout FindingTable
    ) throws {
        try table.add(insert(tally, block: block, db, names: &names, table: &table), db)
    }

    /// Counts anew what changed in complete blocks.
    /// - Parameter events: those that changed, ascending, with the series that they belonged and belong to.
    static func renew(
        _ events: [(id: Int64, series: Set<Int64>)], _ db: Database, names: inout FindingNames,
        table: inout FindingTable
    ) throws {
        try Blocks.forEach(of: events[...], id: \.id, db) { ids, part in
            let series = part.reduce(into: Set<Int64>()) { $0.formUnion($1.series) }
            try renew(series, in: ids.lowerBound, db, names: &names, table: &table)
        }
    }

    private static func renew(
        _ series: Set<Int64>, in block: Int64, _ db: Database, names: inout FindingNames, table: inout FindingTable
    ) throws {
        let list = series.map(String.init).joined(separator: ", ")
        let old = try BareStatement(
            db, "DELETE FROM block_findings WHERE block = ? AND series IN (\(list)) RETURNING finding, events")
        try old.bind(1, block)
        var before: [Int64: Int64] = [:]
        while try old.step() { before[old.int64(0), default: 0] += old.int64(1) }
        let tally = try FindingTally(ofStored: series, in: block, db)
        var uses = try insert(tally, block: block, db, names: &names, table: &table)
        for (finding, count) in before { uses[finding, default: .nothing].count -= count }
        try table.add(uses, db)
    }

    /// - Returns: what is to be added to the counters.
    private static func insert(
        _ tally: FindingTally, block: Int64?, _ db: Database, names: inout FindingNames, table: inout FindingTable
    ) throws -> [Int64: UseSum] {
        var uses: [Int64: UseSum] = [:]
        var rows: [Row: UseSum] = [:]
        try tally.forEach(db, names: &names) { key, series, use in
            let finding = try table.id(of: key, db)
            uses[finding, default: UseSum()].add(use)
            rows[Row(series: series, finding: finding), default: UseSum()].add(use)
        }
        guard let block else { return uses }
        let insert = try BareStatement(
            db,
            reusing: """
                INSERT INTO block_findings (block, series, finding, events, last_event, first_time, last_time)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        for (row, use) in rows {
            try insert.bind(1, block)
            try insert.bind(2, row.series)
            try insert.bind(3, row.finding)
            try use.bind(to: insert, from: 4)
            try insert.run()
        }
        return uses
    }
}
