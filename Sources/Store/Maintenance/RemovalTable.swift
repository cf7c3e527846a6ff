internal import GRDB
internal import Model

/// The table `removals`: until when retention removed events.
enum RemovalTable {
    static let schema = """
        CREATE TABLE removals ( -- until when retention removed events
            source TEXT PRIMARY KEY,     -- of the sources rule that says how long its events are kept, or how many; empty: of any
            removed_until INTEGER NOT NULL -- the latest time that such an event had, microseconds since 1970
        ) WITHOUT ROWID;
        """

    private static let any = ""

    /// - Parameter source: `nil` when events were removed whosever they are.
    static func note(until time: Int64, of source: String? = nil, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO removals (source, removed_until) VALUES (?, ?)
                ON CONFLICT (source) DO UPDATE SET removed_until = max(removed_until, excluded.removed_until)
                """
        ).execute(arguments: [source ?? any, time])
    }

    /// In microseconds since 1970.
    static func removedUntil(_ db: Database) throws -> RemovedUntil {
        var removed = RemovedUntil()
        for row in try Row.fetchAll(db, sql: "SELECT source, removed_until FROM removals") {
            let (source, time): (String, Int64) = (row["source"], row["removed_until"])
            if source == any {
                removed.any = UInt64(clamping: time)
            } else {
                removed.bySource[ExactString(source)] = UInt64(clamping: time)
            }
        }
        return removed
    }
}
