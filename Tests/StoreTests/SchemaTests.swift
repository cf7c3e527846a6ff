import GRDB
import Model
import Testing

@testable import Store

struct SchemaTests {
    private func rows(_ folder: String, _ sql: String) throws -> [Row] {
        try DatabaseQueue(path: folder + "/events.sqlite").read { try Row.fetchAll($0, sql: sql) }
    }

    @Test func `the view shows the same uid, cursor and time as the code, for numbers of all 64 bits`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let bits: [UInt64] = [0, 1, 0x7FFF_FFFF_FFFF_FFFF, 1 << 63, .max, 0xDEAD_BEEF_0123_4567]
            for bits in bits { try await store.save(journal.single(bits: bits), journal: "machine") }
            for (bits, ordinal) in zip(bits, [1, 2, 70_000, 1, .max, 1] as [UInt32]) {
                try await store.save(journal.single(bits: bits, ordinal: ordinal), journal: "machine")
            }
            try await store.save(journal.batch(300), journal: "machine")
            await store.close()
            let rows = try rows(folder, "SELECT * FROM events ORDER BY id")
            #expect(rows.map { $0["uid"] } == journal.events.map(\.uid.description))
            #expect(rows.map { $0["cursor"] } == journal.events.map(\.cursor.description))
            #expect(rows[0]["time"] == "2026-01-01T00:00:00.000000Z")
            #expect(rows.map { $0["level"] } == journal.events.map(\.level.name))
            #expect(rows.map { $0["boot_id"] } == journal.events.map(\.origin.bootID.description))
        }
    }

    @Test func `the view shows one row an event with everything that belongs to it`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let findings = Findings(
                violations: [Violation("id", .type("bigint", found: .string))], reason: "r")
            let time: UInt64 = 1_782_907_384_000_007
            try await store.save(
                journal.single(
                    Array("{\"é\":1}".utf8), name: "tap", resolution: .violating, findings: findings, time: time),
                journal: "machine")
            try await store.save(journal.single([0xFF], resolution: .plain), journal: "machine")
            await store.close()
            let rows = try rows(folder, "SELECT * FROM events ORDER BY id")
            #expect(rows.count == 2)
            #expect(rows[0]["time"] == "2026-07-01T12:03:04.000007Z")
            #expect(
                rows[0]["violations"]
                    == #"[{"parameter":"id","fault":"type","type":"bigint","found":"string"}]"#)
            #expect(rows[0]["warnings"] == nil as String?)
            #expect(rows[0]["reason"] == "r")
            #expect(rows[0]["event_category"] == "list" && rows[0]["event_name"] == "tap")
            #expect(rows[0]["resolution"] == "violating" && rows[0]["dictionary"] == "shop")
            #expect(rows[0]["payload"] == "{\"é\":1}")
            #expect(rows[1]["violations"] == nil as String? && rows[1]["event_name"] == nil as String?)
        }
    }

    @Test func `every column has a comment in the schema that the shell shows`() async throws {
        try await withStoreFolder { folder in
            try await EventStore.open(folder).close()
            let tables = try rows(
                folder,
                """
                SELECT m.name AS name, m.sql AS sql, c.name AS column FROM sqlite_schema AS m,
                pragma_table_info(m.name) AS c
                WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%'
                """)
            #expect(tables.count > 60)
            for row in tables {
                let (sql, column): (String, String) = (row["sql"], row["column"])
                let isCommented = sql.split(separator: "\n").contains { line in
                    let parts = line.split(separator: "--", maxSplits: 1)
                    return parts.count == 2 && parts[0].split { !$0.isLetter && $0 != "_" }.contains { $0 == column }
                }
                #expect(isCommented, "\(row["name"] as String).\(column)")
            }
        }
    }

    @Test func `strings that repeat are stored once, and there is no index on events`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal(origins: 2, kinds: 2)
            let store = try await EventStore.open(folder)
            try await store.save(journal.batch(2000), journal: "machine")
            await store.close()
            let distinct = Set(
                journal.events.map {
                    Series(origin: $0.origin, level: $0.level, resolution: $0.resolution, kind: $0.kind)
                })
            let series = try rows(folder, "SELECT * FROM series_use")
            #expect(series.count == distinct.count)
            #expect(series.reduce(0) { $0 + ($1["stored"] as Int) } == 2000)
            #expect(series.map { $0["last_event"] as Int64 }.max() == 2000)
            let times = journal.events.map(\.realtimeMicroseconds)
            #expect(series.map { $0["first_time"] as Int64 }.min() == times.min().map(Int64.init))
            #expect(series.map { $0["last_time"] as Int64 }.max() == times.max().map(Int64.init))
            #expect(
                try rows(folder, "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'event_rows'").isEmpty
            )
        }
    }

    @Test func `the file is set up as the design says`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let settings = try await store.database.write { db in
                try ["journal_mode", "auto_vacuum", "synchronous", "page_size", "application_id", "user_version"].map {
                    try String.fetchOne(db, sql: "PRAGMA \($0)")
                }
            }
            #expect(settings == ["wal", "2", "1", "4096", "\(Schema.applicationID)", "\(Schema.layout)"])
            await store.close()
        }
    }
}
