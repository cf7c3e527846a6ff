internal import GRDB
internal import Model

/// Removes series that have no rows left, since names that senders make up are endless. What their events were counted
/// by stays, within a bound.
enum SeriesRetirement {
    private static let step = 500

    /// Within a transaction.
    /// - Returns: how many were removed.
    static func run(limit: SizeLimit, findings: inout FindingTable, _ db: Database) throws -> Int {
        let ids = try Int64.fetchAll(
            db, sql: "SELECT series FROM series_use WHERE stored = 0 ORDER BY series LIMIT \(step)")
        guard !ids.isEmpty else { return 0 }
        let gone = ids.map(String.init).joined(separator: ", ")
        let uses = try Int64.fetchAll(
            db,
            sql: "SELECT event_use FROM series_use WHERE series IN (\(gone)) GROUP BY event_use ORDER BY min(series)")
        try db.execute(sql: "DELETE FROM series WHERE id IN (\(gone))")
        try db.execute(sql: "DELETE FROM series_use WHERE series IN (\(gone))")
        var retirement = try EventUseRetirement(db, limit: limit)
        for use in uses { try retirement.retire(use, findings: &findings) }
        return ids.count
    }

    static func mayHaveMore(_ removed: Int) -> Bool { removed == step }
}
