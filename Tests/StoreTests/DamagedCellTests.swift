import GRDB
import Model
import Testing

@testable import Store

/// Cells of small tables that have no value, or one of another type, as after damage to a record's header.
struct DamagedCellTests {
    private typealias Read = @Sendable (EventStore) async throws -> Void

    /// The columns that a call reads, except those that no damage can make invalid.
    private struct Reader {
        var table: String
        var columns: [String]
        var read: Read

        init(_ table: String, _ columns: String, _ read: @escaping Read) {
            self.table = table
            self.columns = columns.split(separator: " ").map(String.init)
            self.read = read
        }
    }

    private static let readers = [
        Reader("diagnostics", "code subject first last count raised text") { _ = try await $0.diagnostics() },
        Reader(
            "gaps", "after_event_id cause certainty time from_cursor to_cursor count file_id first_seqnum message"
        ) { _ = try await $0.gaps(after: 0, limit: 9) },
        Reader("gaps", "time count") { store in
            try await store.database.write { try GapTable.addDropped(1...2, lost: 2, at: newYear, $0) }
        },
        Reader("sinks", "name position delivered_events delivered_batches last_success") {
            _ = try await $0.openedSinks()
        },
        Reader("batches", "key content_encoding first_event_id last_event_id event_count body checksum") {
            _ = try await $0.database.read(.delivery) { try BatchTable.load(sink: "up", $0) }
        },
        Reader("watches", "name") { _ = try await $0.savedWatches(.alert) },
        Reader("notices", "silenced notice") { _ = try await $0.notices(limit: 9) },
        Reader("notices", "notice") { _ = try await $0.nextNotice(for: "chat") },
        Reader("notices", "notice") { try await $0.replaceNotices { _ in nil } },
        Reader("notice_deliveries", "notifier delivered") { _ = try await $0.notices(limit: 9) },
        Reader("notice_deliveries", "key") { _ = try await $0.nextNotice(for: "chat") },
        Reader("notice_deliveries", "notifier") { try await $0.keepNotices(forOnly: ["chat"]) },
        Reader("removals", "source removed_until") { _ = try await $0.removedUntil() },
        Reader("marks", "noted_gap") { _ = try await $0.notedGap() },
        Reader("marks", "revealed") { _ = try await $0.firstRevealed() },
        Reader("dictionary_versions", "dictionary version") { store in
            _ = try await store.database.write { [limit = store.limit, damage = store.database.damage] in
                try VersionRetirement.run(limit: limit, noting: damage, $0)
            }
        },
    ]

    /// Saves what gives each of the tables a row.
    private func fill(_ store: EventStore) async throws {
        var journal = Journal()
        try await store.save(journal.batch(10), journal: "machine")
        _ = try await store.openSinks([("up", .oldest)], now: newYear)
        try await store.freeze(
            FrozenBatch(
                sink: "up", key: "k", body: [1, 2], contentEncoding: nil, firstEventID: 1, lastEventID: 2, eventCount: 2
            ))
        let notice = NewNotice(alert: "a", notice: "{}", notifiers: ["chat"])
        let watch = SavedWatch(name: "a", position: 1, state: "{}")
        try await store.save([watch], of: .alert, notices: [notice])
        let record = DiagnosticRecord(key: .init(code: "sink.held", subject: "up"), first: newYear)
        try await store.save([record], notedGap: 0)
        try await store.database.write { db in
            try GapTable.addDropped(1...2, lost: 2, at: newYear, db)
            try RemovalTable.note(until: 1, of: "a", db)
            for version in 0..<21 {
                try db.execute(
                    sql: "INSERT INTO dictionary_versions VALUES (NULL, 'd', ?, 1, 1, 1, '', '', '', 0)",
                    arguments: ["\(version)"])
            }
        }
    }

    /// Lets this connection store what the schema does not permit.
    private func dropConstraints(_ db: Database) throws {
        try db.execute(
            sql: """
                DROP INDEX dictionary_versions_identity;
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table';
                PRAGMA writable_schema = RESET;
                """)
    }

    /// Returns the columns that NULL does not damage, and those of the key, some of which cannot be NULL.
    private func columnsWithoutNull(_ table: String, _ db: Database) throws -> Set<String> {
        try Set(
            String.fetchAll(
                db, sql: "SELECT name FROM pragma_table_info(?) WHERE \"notnull\" = 0 OR pk > 0", arguments: [table]))
    }

    @Test func `a damaged cell of a small table is an error, and the damage is known`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await fill(store)
            let withoutNull = try await store.database.write { db in
                let columns = try Self.readers.map { ($0.table, try columnsWithoutNull($0.table, db)) }
                try dropConstraints(db)
                return Dictionary(columns, uniquingKeysWith: { one, _ in one })
            }
            for reader in Self.readers {
                let table = reader.table
                try await store.database.write { db in
                    try db.execute(sql: "CREATE TEMP TABLE kept AS SELECT * FROM main.\(table)")
                }
                for column in reader.columns {
                    // A blob that is not UTF-8 is neither a number nor a text.
                    for value in ["NULL", "x'ff'"] {
                        if value == "NULL", withoutNull[table]?.contains(column) == true { continue }
                        try await store.database.write { db in
                            try db.execute(sql: "UPDATE \(table) SET \(column) = \(value)")
                        }
                        let error = await storeError { try await reader.read(store) }
                        #expect(error?.kind == .corrupt, "\(table).\(column) = \(value)")
                        #expect(error?.hint?.contains("rebuilt from the journal") == true)
                        try await store.database.write { db in
                            try db.execute(sql: "DELETE FROM \(table); INSERT INTO \(table) SELECT * FROM kept")
                        }
                    }
                }
                try await store.database.write { db in try db.execute(sql: "DROP TABLE kept") }
                #expect(await storeError { try await reader.read(store) } == nil, "\(table) is as it was")
            }
            #expect(store.damage?.kind == .corrupt)
            await store.close()
        }
    }

    @Test(arguments: [(-1, 0), (.max, 1 << 46)] as [(Int64, Int64)])
    func `a damaged count is wrong, and nothing else is`(_ count: Int64, least: Int64) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await fill(store)
            try await store.database.write { db in
                for place in ["event_counts SET seen", "finding_counts SET seen", "diagnostics SET count"] {
                    try db.execute(sql: "UPDATE \(place) = ?", arguments: [count])
                }
            }
            let events = try await store.eventCounts(matching: .everything).map(\.count)
            let findings = try await store.findingCounts(matching: .everything).map(\.count)
            // What never occurred is in no report.
            #expect(events.isEmpty == (least == 0) && findings.isEmpty == (least == 0))
            let diagnostics = try await store.diagnostics().map(\.count)
            #expect(!diagnostics.isEmpty)
            #expect((events + findings + diagnostics).allSatisfy { least...max(least, least * 100) ~= $0 })
            // Unused names are counted together nonetheless.
            let folded = try await store.database.write { db in try CountFolding.gone(before: .max, atMost: 9, db) }
            #expect(folded.allSatisfy { $0.sum.count == least })
            await store.close()
        }
    }

    @Test(arguments: ["position = -1", "position = 1 << 40", "position = x'ff'", "position = NULL", "state = x'ff'"])
    func `only a watch that is damaged has no state`(_ damage: String) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await fill(store)
            let other = SavedWatch(name: "b", position: 2, state: "{}")
            try await store.save([other], of: .alert)
            try await store.database.write { db in
                try dropConstraints(db)
                try db.execute(sql: "UPDATE watches SET \(damage) WHERE name = 'a'")
            }
            let damaged = SavedWatch(name: "a", position: 0, state: "")
            #expect(try await store.savedWatches(.alert) == [damaged, other])
            #expect(store.damage?.kind == .corrupt)
            await store.close()
        }
    }

    @Test(arguments: [-5, 1 << 40] as [Int64])
    func `a damaged mark of what was revealed stands for all events`(_ revealed: Int64) async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            try await fill(store)
            try await store.noteRevealed()
            #expect(try await store.firstRevealed() == 11)
            try await store.database.write { db in
                try db.execute(sql: "UPDATE marks SET revealed = ?", arguments: [revealed])
            }
            #expect(try await store.firstRevealed() == 1)
            try await store.noteRevealed(from: 7)
            #expect(try await store.firstRevealed() == 1)
            await store.close()
        }
    }

    @Test(arguments: ["NULL", "x'ff'", "-1", "1048576"])
    func `a sink whose position is damaged holds events back`(_ position: String) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(60))
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await store.save(journal.batch(4096), journal: "machine")
            try await store.database.write { db in
                try dropConstraints(db)
                try db.execute(sql: "UPDATE sinks SET position = \(position)")
            }
            #expect(await storeError { _ = try await store.openedSinks() }?.kind == .corrupt)
            #expect(await storeError { _ = try await store.openSinks([("up", .now)], now: newYear) }?.kind == .corrupt)
            let stored = try await store.statistics().storedEvents
            #expect(stored > 4000)
            try await store.tidyAll(now: newYear + 90_000 * 1_000_000)
            #expect(try await store.statistics().storedEvents == stored)
            await store.close()
        }
    }
}
