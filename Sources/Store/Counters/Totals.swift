internal import GRDB
internal import Model

/// The table `totals`: counters since the store was created.
enum Totals {
    private static let lastEvent = "last_event_id"
    private static let dropped = "dropped_events"
    private static let again = "reprocessed"
    private static let skipped = "skipped_entries"
    private static let duplicates = "duplicate_entries"
    private static let expired = "expired_entries"

    static func lastEventID(_ db: Database) throws -> Int64 { try value(lastEvent, db) }

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

    /// Adds the entries that were not stored. Stored ones are counted by `add(seen:lastEventID:)`.
    static func add(entriesNotStored counts: EntryCounts, _ db: Database) throws {
        for (name, count) in [(skipped, counts.skipped), (duplicates, counts.duplicates), (expired, counts.expired)]
        where count != 0 {
            try add(count, to: name, db)
        }
    }

    static func add(seen: [Resolution: Int64], lastEventID: Int64, _ db: Database) throws {
        for (resolution, events) in seen { try add(events, to: name(resolution), db) }
        if !seen.isEmpty {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO totals (name, value) VALUES (?, ?)")
                .execute(arguments: [lastEvent, lastEventID])
        }
    }

    /// Adds to the counters of resolutions. The numbers may be negative.
    static func move(seen: [Resolution: Int64], _ db: Database) throws {
        for (resolution, events) in seen where events != 0 { try add(events, to: name(resolution), db) }
    }

    static func add(dropped events: Int64, _ db: Database) throws { try add(events, to: dropped, db) }

    static func add(reprocessed events: Int64, _ db: Database) throws { try add(events, to: again, db) }

    private static func name(_ resolution: Resolution) -> String { "seen_" + resolution.rawValue }

    private static func value(_ name: String, _ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT value FROM totals WHERE name = ?")
        return try Int64.fetchOne(statement, arguments: [name]) ?? 0
    }

    private static func add(_ count: Int64, to name: String, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO totals (name, value) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = value + excluded.value
                """
        ).execute(arguments: [name, count])
    }
}
