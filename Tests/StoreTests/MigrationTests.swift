import GRDB
import Model
import Testing

@testable import Store

struct MigrationTests {
    /// A file as version 1 left it: a block of three events, two in none, and counts of events that are gone.
    private func makeVersion1(_ folder: String) throws {
        let queue = try DatabaseQueue(path: folder + "/events.sqlite")
        try Schema.migrator.migrate(queue, upTo: "v1")
        try queue.write { db in
            #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 1)
            let boot = ID128(high: 1, low: 2).description
            for (id, name, resolution) in [(1, "tap", "resolved"), (2, "tap", "violating"), (3, "swipe", "undefined")] {
                try db.execute(
                    sql: """
                        INSERT INTO series VALUES (?, 'web1', ?, 3, ?, 'com.example.app', 'Activity', NULL, NULL, NULL,
                        'match', 5, ?, 'shop', 'v', 'list', ?)
                        """,
                    arguments: [id, boot, boot, resolution, name])
            }
            let time = Int64(newYear)
            let findings = """
                {"violations":[{"parameter":"id","rule":"type","expected":"bigint","found":"string"}],\
                "warnings":[{"rule":"obsolete-event"}]}
                """
            for (id, series) in [(11, 1), (12, 2), (13, 2), (14, 3), (15, 2)] {
                try db.execute(
                    sql: "INSERT INTO event_rows VALUES (?, ?, ?, 0, ?, 0, NULL, ?, '{}')",
                    arguments: [id, series, time + Int64(id), id, series == 2 ? findings : nil])
            }
            try db.execute(
                sql: """
                    INSERT INTO blocks VALUES (11, 13, ?1 + 11, ?1 + 13);
                    INSERT INTO postings VALUES (11, 1, 1, x'0000'), (11, 2, 2, x'01000200');
                    INSERT INTO series_use VALUES (1, 5, 11, ?1, ?1 + 11), (2, 3, 15, ?1 + 12, ?1 + 15),
                        (3, 1, 14, ?1 + 14, ?1 + 14);
                    INSERT INTO totals VALUES ('last_event_id', 15), ('seen_resolved', 11), ('seen_violating', 3),
                        ('seen_undefined', 1);
                    INSERT INTO retired VALUES ('shop', 'list', 'tap', 'resolved', 6)
                    """.replacing("?1", with: "\(time)"))
        }
        try queue.close()
    }

    @Test func `a file of version 1 is migrated with its counts, and works on`() async throws {
        try await withTemporaryFolder { folder in
            try makeVersion1(folder)
            let store = try await EventStore.open(folder)
            let use = try await store.eventUse(matching: EventFilter())
            let counts = Dictionary(uniqueKeysWithValues: use.map { ("\($0.key.name) \($0.resolution)", $0.count) })
            #expect(counts == ["tap resolved": 11, "tap violating": 3, "swipe undefined": 1])
            #expect(use.first { $0.resolution == .resolved }?.firstMicroseconds == newYear)
            let findings = try await store.findingUse(matching: EventFilter()).sorted { $0.rule < $1.rule }
            #expect(findings.map(\.rule) == ["obsolete-event", "type"] && findings.map(\.count) == [3, 3])
            #expect(findings.map(\.parameter) == [nil, "id"] && findings.map(\.isViolation) == [false, true])
            #expect(findings[1].firstMicroseconds == newYear + 12 && findings[1].lastEventID == 15)
            var filter = EventFilter()
            filter.level = .debug
            #expect(try await store.eventUse(matching: filter).reduce(0) { $0 + $1.count } == 5, "those stored")

            let kind = EventKind(
                dictionary: "shop", definitionsVersion: "w", key: EventKey(category: "list", name: "tap"))
            let changes = [12, 14, 15].map { ResolvedAgain(id: $0, resolution: .resolved, kind: kind) }
            #expect(try await store.replace(changes).values.reduce(0, +) == 3)
            #expect(try await store.findingUse(matching: EventFilter()).map(\.count) == [1, 1])
            let statistics = try await store.statistics()
            #expect(statistics.seen[.resolved] == 14 && statistics.seen[.violating] == 1)
            #expect(statistics.seen[.undefined] == 0)
            await store.close()
            let version = try await DatabaseQueue(path: folder + "/events.sqlite").read {
                try Int.fetchOne($0, sql: "PRAGMA user_version")
            }
            #expect(version == 3)
        }
    }

    /// The same after version 2 counted findings: of two more events than are stored, and of a series that is gone.
    private func makeVersion2(_ folder: String) throws {
        try makeVersion1(folder)
        let queue = try DatabaseQueue(path: folder + "/events.sqlite")
        try Schema.migrator.migrate(queue, upTo: "v2")
        try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO finding_use VALUES (2, 'type', 'id', 5, 15, ?1, ?1 + 15),
                        (2, 'obsolete-event', '', 3, 15, ?1 + 12, ?1 + 15);
                    INSERT INTO retired VALUES ('shop', 'list', 'tap', 'violating', 'com.example.app', 'Activity', 4, 6,
                        ?1 - 9, ?1 - 1);
                    INSERT INTO retired_findings VALUES
                        ('shop', 'list', 'tap', 'violating', 'com.example.app', 'Activity', 'type', 'id', 4, 6, ?1 - 9, ?1 - 1),
                        ('', '', '', 'malformed', 'com.example.app', 'Other', 'cut', '', 7, 3, ?1 - 8, ?1 - 7)
                    """.replacing("?1", with: "\(newYear)"))
        }
        try queue.close()
    }

    @Test func `a file of version 2 keeps the counts of findings, stored or removed`() async throws {
        try await withTemporaryFolder { folder in
            try makeVersion2(folder)
            let store = try await EventStore.open(folder, maximumAge: .seconds(10))
            let findings = try await store.findingUse(matching: EventFilter()).sorted { $0.rule < $1.rule }
            #expect(findings.map(\.rule) == ["cut", "obsolete-event", "type"])
            #expect(findings.map(\.count) == [7, 3, 5 + 4])
            #expect(findings[0].key == nil && findings[0].dictionary == nil)
            #expect(findings[2].firstMicroseconds == newYear - 9 && findings[2].lastEventID == 15)
            let use = try await store.eventUse(matching: EventFilter())
            #expect(use.first { $0.resolution == .violating }?.count == 7)
            #expect(use.map(\.count).reduce(0, +) == 19)
            var filter = EventFilter()
            (filter.sinceMicroseconds, filter.untilMicroseconds) = (newYear + 13, newYear + 99)
            #expect(try await store.findingUse(matching: filter).map(\.count) == [2, 2])
            // Everything goes; what was counted stays.
            while try await store.tidy(now: newYear + 11_000_000) {}
            #expect(try await store.statistics().storedEvents == 0)
            #expect(try await store.findingUse(matching: EventFilter()).map(\.count).reduce(0, +) == 19)
            #expect(try await store.eventUse(matching: EventFilter()).map(\.count).reduce(0, +) == 19)
            await store.close()
        }
    }

    @Test func `a migrated file has the same schema as a new one`() async throws {
        try await withTemporaryFolder { folder in
            try makeVersion1(folder)
            try await EventStore.open(folder).close()
            let migrated = try schema(folder)
            try await withTemporaryFolder { other in
                try await EventStore.open(other).close()
                #expect(try schema(other) == migrated)
            }
        }
    }

    private func schema(_ folder: String) throws -> [String] {
        try DatabaseQueue(path: folder + "/events.sqlite").read {
            try String.fetchAll($0, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        }
    }
}
