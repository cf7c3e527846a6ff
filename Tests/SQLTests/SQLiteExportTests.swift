import API
import Foundation
import GRDBSQLite
import TestSupport
import Testing

@testable import SQL

struct SQLiteExportTests {
    /// Writes rows into a table of each name, with the columns `id` and `time`.
    private func export(
        _ names: [String], to file: URL, replaces: Bool = false, atEnd: () -> Void = {}
    ) throws -> Int32 {
        var lines: [[UInt8]] = []
        for name in names {
            let columns = [("id", "INTEGER"), ("time", "TEXT")].map {
                ColumnOfTable(name: $0.0, type: $0.1, description: "")
            }
            lines.append(try ExportLine.beginning(TableReply(name: name, description: "", columns: columns)))
            lines.append(ExportLine.row(#"[1,"2026-11-21"]"#))
        }
        lines.append(ExportLine.ending)
        var rest = lines[...].map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines) }[...]
        return SQLiteExport.run(path: file.path, replaces: replaces) {
            if rest.count == 1 { atEnd() }
            return rest.popFirst()
        }
    }

    /// What the first column of a statement's rows has.
    private func rows(of file: URL, _ statement: String) -> [String] {
        var (connection, prepared) = (OpaquePointer?.none, OpaquePointer?.none)
        defer {
            sqlite3_finalize(prepared)
            sqlite3_close(connection)
        }
        sqlite3_open_v2(file.path, &connection, SQLITE_OPEN_READONLY, nil)
        sqlite3_prepare_v2(connection, statement, -1, &prepared, nil)
        var rows: [String] = []
        while sqlite3_step(prepared) == SQLITE_ROW {
            rows.append(sqlite3_column_text(prepared, 0).map { String(cString: $0) } ?? "NULL")
        }
        return rows
    }

    @Test func `a table may be called like the index of another`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "x.sqlite")
            let status = try export(["events", "events_time", "events_id"], to: file)
            #expect(status == 0)
            #expect(rows(of: file, "SELECT time FROM events_time") == ["2026-11-21"])
            #expect(
                rows(of: file, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY 1") == [
                    "events.time", "events_id.id", "events_time.id",
                ])
        }
    }

    @Test(arguments: ["-journal", "-wal"])
    func `a file that another program has come to use meanwhile is not replaced`(suffix: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "x.sqlite")
            let old = Data("old".utf8)
            try old.write(to: file)
            let status = try export(["events"], to: file, replaces: true) {
                try? Data("journal".utf8).write(to: folder.appending(path: "x.sqlite\(suffix)"))
            }
            #expect(status == 1)
            #expect(try Data(contentsOf: file) == old)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == ["x.sqlite", "x.sqlite\(suffix)"])
        }
    }
}
