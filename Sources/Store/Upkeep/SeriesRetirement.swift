internal import GRDB

/// Removes series that have no rows left, since names that senders make up are endless.
///
/// Counters per resolution are in `totals` and stay. What defined events were counted goes to `retired`, whose size the
/// dictionaries bound; counts of single undefined names end with their last row.
enum SeriesRetirement {
    private static let step = 500

    /// Within a transaction.
    /// - Parameter oldest: the first event that is still there.
    /// - Returns: how many were removed.
    static func run(before oldest: Int64, _ db: Database) throws -> Int {
        let gone = "SELECT series FROM series_use WHERE last_event < ? ORDER BY series LIMIT \(step)"
        try db.execute(
            sql: """
                INSERT INTO retired (dictionary, event_category, event_name, resolution, seen)
                SELECT coalesce(dictionary, ''), event_category, event_name, resolution, sum(seen)
                FROM series JOIN series_use ON series = id
                WHERE id IN (\(gone)) AND resolution IN ('resolved', 'violating') AND event_name IS NOT NULL
                GROUP BY 1, 2, 3, 4
                ON CONFLICT DO UPDATE SET seen = seen + excluded.seen
                """,
            arguments: [oldest])
        try db.execute(sql: "DELETE FROM series WHERE id IN (\(gone))", arguments: [oldest])
        try db.execute(sql: "DELETE FROM series_use WHERE series IN (\(gone))", arguments: [oldest])
        return db.changesCount
    }

    static func mayHaveMore(_ removed: Int) -> Bool { removed == step }
}
