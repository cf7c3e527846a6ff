internal import GRDB
internal import Model

/// The table `totals`: counters since the store was created. Each has its row from the beginning, so that one that is
/// missing is damage.
enum Totals {
    static let schema = """
        CREATE TABLE totals ( -- counters since the store was made, kept in the transaction of the events
            name TEXT PRIMARY KEY,       -- last_event_id, dropped_events, reprocessed, seen_ and a resolution; of
                                         -- entries without an event skipped_, duplicate_ and expired_entries
            value INTEGER NOT NULL       -- retention lowers none of them; reprocessing moves between those of seen_
        ) WITHOUT ROWID;
        INSERT INTO totals (name, value) VALUES \(names.map { "('\($0)', 0)" }.joined(separator: ", "));
        """

    private static let lastEvent = "last_event_id"
    private static let dropped = "dropped_events"
    private static let again = "reprocessed"
    private static let skipped = "skipped_entries"
    private static let duplicates = "duplicate_entries"
    private static let expired = "expired_entries"
    /// The copy of a damaged store that docs/operations.md makes gets those that it lacks.
    private static let names =
        [lastEvent, dropped, again, skipped, duplicates, expired] + Resolution.allCases.map(name)

    static func lastEventID(_ db: Database) throws -> Int64 { try value(lastEvent, db) }

    /// Returns the last id that was assigned, after which new ones continue.
    /// - Throws: an error when the store has a later one, which would be assigned again.
    static func checkedLastEventID(_ db: Database) throws -> Int64 {
        let last = try lastEventID(db)
        // The row of the newest block may be damaged.
        let packed = try PackedBlockTable.newest(db)?.ids.upperBound ?? PackedBlockTable.firstID(upTo: .max, db)
        let open = try OpenEventTable.span(db)?.ids
        let stored = max(packed, open?.upperBound ?? 0)
        guard stored <= last else {
            throw DatabaseError.damaged("\(lastEvent) in the table totals is \(last), but there is the event \(stored)")
        }
        if let open, open.lowerBound <= packed { throw OpenEventTable.damaged("the id \(open.lowerBound)") }
        return last
    }

    static func droppedEvents(_ db: Database) throws -> Int64 { try value(dropped, db) }

    static func reprocessed(_ db: Database) throws -> Int64 { try value(again, db) }

    static func seen(_ db: Database) throws -> [Resolution: Int64] {
        var seen: [Resolution: Int64] = [:]
        for resolution in Resolution.allCases { seen[resolution] = try value(name(resolution), db) }
        return seen
    }

    /// Returns the results of the entries that were read.
    static func entries(_ db: Database) throws -> EntryCounts {
        EntryCounts(
            stored: try seen(db).values.reduce(0, +), skipped: try value(skipped, db),
            duplicates: try value(duplicates, db), expired: try value(expired, db))
    }

    /// Adds the entries that were not stored. Stored ones are counted by `add(seen:)`.
    static func add(entriesNotStored counts: EntryCounts, _ db: Database) throws {
        for (name, count) in [(skipped, counts.skipped), (duplicates, counts.duplicates), (expired, counts.expired)]
        where count != 0 {
            try add(count, to: name, db)
        }
    }

    static func set(lastEventID: Int64, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE totals SET value = ? WHERE name = ?")
            .execute(arguments: [lastEventID, lastEvent])
    }

    /// Adds to the counters of resolutions. The numbers may be negative.
    static func add(seen: [Resolution: Int64], _ db: Database) throws {
        for (resolution, events) in seen where events != 0 { try add(events, to: name(resolution), db) }
    }

    static func add(dropped events: Int64, _ db: Database) throws { try add(events, to: dropped, db) }

    static func add(reprocessed events: Int64, _ db: Database) throws { try add(events, to: again, db) }

    private static func name(_ resolution: Resolution) -> String { "seen_" + resolution.rawValue }

    private static func value(_ name: String, _ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT value FROM totals WHERE name = ?")
        guard let row = try Row.fetchOne(statement, arguments: [name]) else {
            throw DatabaseError.damaged("the table totals has no \(name)")
        }
        return try StoredCount.checked(row.value("value"), of: "\(name) in the table totals")
    }

    private static func add(_ count: Int64, to name: String, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE totals SET value = value + ? WHERE name = ?")
            .execute(arguments: [count, name])
    }
}
