internal import GRDB

/// Removes series that have no rows left, since names that senders make up are endless.
///
/// Counters per resolution are in `totals` and stay. What keyed events were counted goes to `retired`, what findings
/// were to `retired_findings`: by name as far as dictionaries bound the names or there is room, else together with
/// others.
enum SeriesRetirement {
    private static let step = 500

    /// Within a transaction.
    /// - Returns: how many were removed.
    static func run(limit: SizeLimit, findings: inout FindingTable, _ db: Database) throws -> Int {
        let ids = try Int64.fetchAll(
            db, sql: "SELECT series FROM series_use WHERE stored = 0 ORDER BY series LIMIT \(step)")
        guard !ids.isEmpty else { return 0 }
        let gone = ids.map(String.init).joined(separator: ", ")
        try retireEvents(gone, limit, db)
        try retireFindings(gone, limit, db)
        try findings.remove(series: gone, db)
        try db.execute(sql: "DELETE FROM series WHERE id IN (\(gone))")
        try db.execute(sql: "DELETE FROM series_use WHERE series IN (\(gone))")
        return ids.count
    }

    static func mayHaveMore(_ removed: Int) -> Bool { removed == step }

    private static func retireEvents(_ gone: String, _ limit: SizeLimit, _ db: Database) throws {
        var rows = try RetiredRows(db, table: "retired", key: RetiredKey.columns, limit: limit)
        let sums = try BareStatement(
            db,
            """
            SELECT coalesce(dictionary, ''), event_category, event_name, resolution, subsystem, category,
            sum(seen), min(first_time), max(last_time), max(last_event)
            FROM series JOIN series_use ON series = id
            WHERE id IN (\(gone)) AND event_name IS NOT NULL AND seen > 0 GROUP BY 1, 2, 3, 4, 5, 6
            """)
        while try sums.step() {
            let key = RetiredKey(sums)
            try rows.add(UseSum(sums, from: 6), to: key.texts, orElse: key.bounded.texts, isDefined: key.isDefined)
        }
    }

    private static func retireFindings(_ gone: String, _ limit: SizeLimit, _ db: Database) throws {
        var rows = try RetiredRows(
            db, table: "retired_findings", key: RetiredKey.columns + ["rule", "parameter"], limit: limit)
        let sums = try BareStatement(
            db,
            """
            SELECT coalesce(dictionary, ''), coalesce(event_category, ''), coalesce(event_name, ''), resolution,
            subsystem, category, rule, parameter,
            sum(f.seen), min(f.first_time), max(f.last_time), max(f.last_event)
            FROM series AS s JOIN finding_use AS f ON f.series = s.id
            WHERE s.id IN (\(gone)) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
            """)
        while try sums.step() {
            let key = RetiredKey(sums)
            let (rule, parameter) = (sums.text(6), sums.text(7))
            let isBounded = key.isDefined && !FindingUseKey.isNamedByPayload(rule)
            let rest = [rule, isBounded ? parameter : FindingUseKey.other]
            try rows.add(
                UseSum(sums, from: 8), to: key.texts + [rule, parameter], orElse: key.bounded.texts + rest,
                isDefined: key.isDefined)
        }
    }
}
