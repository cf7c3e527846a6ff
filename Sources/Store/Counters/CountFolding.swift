internal import GRDB

/// Finds the counters of undefined names that no stored event has any more.
enum CountFolding {
    static let rowsAtOnce = 500

    struct Row {
        var id: Int64
        var key: CountKey
        var sum: Occurrences
    }

    struct Finding {
        var key: FindingKey
        var sum: Occurrences
    }

    /// Returns rows that are not shared (not `CountKey.isBounded`, which the SQL says again), also of senders that call
    /// themselves `CountKey.other`.
    /// - Parameters:
    ///   - oldest: the lowest id that is stored.
    ///   - most: the maximum number of rows to return.
    static func gone(before oldest: Int64, atMost most: Int64, _ db: Database) throws -> [Row] {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT \(CountKey.columns), seen, last_event, first_time, last_time, id FROM event_counts
                WHERE last_event < ?1 AND resolution NOT IN ('resolved', 'violating')
                AND NOT (subsystem = ?2 AND category = ?2
                    AND (resolution <> 'undefined' OR event_category = ?2 AND event_name = ?2))
                ORDER BY last_event LIMIT min(?3, \(rowsAtOnce))
                """)
        try rows.bind(3, most)
        try rows.bind(1, oldest)
        try rows.bind(2, CountKey.other)
        var found: [Row] = []
        while try rows.step() {
            try found.append(Row(id: rows.int64(10), key: CountKey(rows), sum: Occurrences(rows, from: 6)))
        }
        return found
    }

    static func findings(of event: Int64, _ db: Database) throws -> [Finding] {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT rule, parameter, seen, last_event, first_time, last_time FROM finding_counts WHERE event_count = ?
                """)
        try rows.bind(1, event)
        var found: [Finding] = []
        while try rows.step() {
            found.append(
                Finding(key: FindingKey(rows.text(0), rows.text(1)), sum: Occurrences(rows, from: 2)))
        }
        return found
    }
}
