import Foundation
import Testing

@testable import SQL
@testable import Store

/// Statements that would do more than read the tables.
struct AttackTests {
    private static let statements = [
        "CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)", "CREATE VIEW v AS SELECT 1", "CREATE TEMP VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE t USING fts5(x)", "CREATE VIRTUAL TABLE t USING csv(filename='/etc/passwd')",
        "CREATE VIRTUAL TABLE t USING rtree(a, b, c)", "CREATE TRIGGER r AFTER INSERT ON events BEGIN SELECT 1; END",
        "CREATE INDEX i ON events (id)", "INSERT INTO events (id) VALUES (1)", "UPDATE events SET id = 1",
        "DELETE FROM events",
        "REPLACE INTO events (id) VALUES (1)", "DROP TABLE events", "ALTER TABLE events RENAME TO x",
        "INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)",
        "ATTACH '/etc/passwd' AS x", "ATTACH ':memory:' AS x", "DETACH main", "VACUUM",
        "VACUUM INTO '/tmp/gloss-attack.sqlite'",
        "REINDEX", "ANALYZE", "BEGIN", "BEGIN EXCLUSIVE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "END",
        "SELECT load_extension('/tmp/x.so')", "SELECT load_extension('/tmp/x.so', 'main')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/gloss-attack', 'x')", "SELECT edit('x')", "SELECT fts3_tokenizer('simple')",
        "SELECT fts3_tokenizer('simple', x'00')",
        "PRAGMA writable_schema = ON", "PRAGMA journal_mode = DELETE", "PRAGMA temp_store_directory = '/tmp'",
        "PRAGMA data_store_directory = '/tmp'",
        "PRAGMA database_list", "PRAGMA hard_heap_limit = 0", "PRAGMA soft_heap_limit = 0",
        "PRAGMA trusted_schema = ON", "PRAGMA wal_checkpoint",
        "PRAGMA user_version = 3", "PRAGMA query_only = OFF", "PRAGMA key = 'x'", "PRAGMA module_list",
        "PRAGMA compile_options",
        "PRAGMA optimize", "PRAGMA incremental_vacuum", "PRAGMA mmap_size = 0", "PRAGMA threads = 8",
        "PRAGMA cache_size = 100000000",
        "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_compile_options", "SELECT * FROM dbstat",
        "SELECT * FROM sqlite_dbpage",
        "SELECT * FROM fsdir('/etc')", "SELECT * FROM zipfile('/etc/passwd')", "SELECT * FROM csv",
        "SELECT * FROM sqlite_stmt", "SELECT * FROM main.csv",
        "SELECT 1; DROP TABLE events", "EXPLAIN DELETE FROM events",
        "WITH t AS (SELECT 1) DELETE FROM events", "WITH t AS (SELECT 1) INSERT INTO events (id) SELECT 1",
        "", ";", "--", "/* */", "SELECT", "SELECT ?", "SELECT :a", "SELECT \"no_such_column\" FROM events",
        "SELECT * FROM open_events", "SELECT * FROM block_data", "SELECT * FROM no_such_table",
    ]

    @Test func `statements do nothing but read the tables`() async throws {
        try await Shop.with(events: 10) { shop in
            for statement in Self.statements {
                #expect(throws: (any Error).self, "\(statement)") { try shop.sql(statement) }
            }
            // Without files or tables of others, and still as it was.
            #expect(!FileManager.default.fileExists(atPath: "/tmp/gloss-attack.sqlite"))
            #expect(!FileManager.default.fileExists(atPath: "/tmp/gloss-attack"))
            let counts = try shop.sql(["SELECT count(*) FROM events", "SELECT count(*) FROM sqlite_schema"])
            #expect(counts == [[["i10"]], [["i0"]]])
        }
    }

    /// Every function and table-valued function that this SQLite has, with up to three arguments that name a file.
    @Test func `no function of SQLite reads or writes a file`() async throws {
        try await Shop.with(events: 10) { shop in
            let secret = FileManager.default.temporaryDirectory.appending(path: "gloss-secret-\(UUID().uuidString)")
                .path
            try "the secret".write(toFile: secret, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: secret) }
            let names = try shop.sql("PRAGMA function_list").map { String($0[0].text.dropFirst()) }
            #expect(names.count > 50)
            for name in Set(names) {
                for count in 0...3 {
                    let arguments = Array(repeating: "'\(secret)'", count: count).joined(separator: ", ")
                    for statement in ["SELECT \(name)(\(arguments))", "SELECT * FROM \(name)(\(arguments)) LIMIT 10"] {
                        let rows = (try? shop.sql(statement)) ?? []
                        #expect(!rows.joined().contains { $0.text.contains("the secret") }, "\(statement)")
                    }
                }
            }
            #expect(try String(contentsOfFile: secret, encoding: .utf8) == "the secret")
        }
    }

    @Test func `statements that read are allowed`() async throws {
        try await Shop.with(events: 10) { shop in
            for statement in [
                "SELECT 1", "select 1 ;  -- the end", "VALUES (1), (2)", "WITH t AS (SELECT 1 AS x) SELECT x FROM t",
                "EXPLAIN QUERY PLAN SELECT * FROM events",
                "WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 10) SELECT sum(x) FROM c",
                "SELECT json_extract(payload, '$.n') FROM events",
                "SELECT count(*) FROM events, json_each(events.payload)",
                "SELECT name, type FROM pragma_table_info('events')",
                "SELECT strftime('%H', time), row_number() OVER (ORDER BY id) FROM events",
                "SELECT 1 UNION SELECT 2 EXCEPT SELECT 1", "PRAGMA table_info(events)",
            ] {
                #expect(throws: Never.self, "\(statement)") { try shop.sql(statement) }
            }
        }
    }

    @Test func `errors say where they are`() async throws {
        try await Shop.with(events: 10) { shop in
            let error = #expect(throws: SQLFailure.self) { try shop.sql("SELECT id,\n  '夕', idd FROM events") }
            #expect(error?.description == "no such column: idd\n    '夕', idd FROM events\n          ^")
            // As a terminal shows it.
            let escaped = #expect(throws: SQLFailure.self) {
                try shop.sql("SELECT\tid, '\u{1B}\u{202E}',\tidd FROM events")
            }
            let line = "SELECT    id, '\\u001b\\u202e',    idd FROM events"
            let spaces = String(repeating: " ", count: 2 + 33)
            #expect(escaped?.description == "no such column: idd\n  \(line)\n\(spaces)^")
        }
    }
}
