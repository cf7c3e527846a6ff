import GRDB
import Model
import Testing

@testable import Store

struct SchemaTests {
    private func rows(_ folder: String, _ sql: String) throws -> [Row] {
        try DatabaseQueue(path: folder + "/events.sqlite").read { try Row.fetchAll($0, sql: sql) }
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

    @Test func `the file has the settings of the design`() async throws {
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
