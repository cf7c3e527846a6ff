import GRDB
import Model
import Testing

struct ColumnNamesInSQLiteTests {
    @Test func `SQLite has all of them without quotes`() throws {
        let long = String(repeating: "あ", count: 30)
        let others = [
            "device.os", "device_os", "user-id", "注文", "レシピ.名前", "価格(円)", "é", "e\u{301}", "हिन्दी", "2fa", "１位", "👍", "",
            "userId", "USERID", "a\"b'; DROP TABLE events; --", "rowid", "oid", "gloss_id", "x\u{0}y", "\u{FEFF}x",
            "a\u{200B}b", "\u{10FFFF}", long, long,
        ]
        let paths: [String] = ColumnNames.reservedWords.sorted().map(\.text) + Self.keywords + others
        var columnNames = ColumnNames()
        let names = paths.map { columnNames.name(for: $0) }
        let database = try DatabaseQueue()
        try database.write { database in
            for (index, part) in stride(from: 0, to: names.count, by: 100).enumerated() {
                let columns = names[part..<min(part + 100, names.count)]
                let table = "events_\(index)"
                let list = columns.joined(separator: ", ")
                let places = columns.map { _ in "?" }.joined(separator: ", ")
                let values = columns.map { "v \($0)" }
                try database.execute(sql: "CREATE TABLE \(table) (\(list))")
                try database.execute(
                    sql: "INSERT INTO \(table) (\(list)) VALUES (\(places))", arguments: StatementArguments(values))
                for (column, value) in zip(columns, values) {
                    let found = try String.fetchAll(
                        database,
                        sql: """
                            SELECT \(column) FROM \(table) WHERE \(column) = ? AND \(table).\(column) IS NOT NULL \
                            GROUP BY \(column) ORDER BY \(column)
                            """, arguments: [value])
                    #expect(found == [value], "\(column)")
                }
            }
        }
    }

    /// SQLite's keywords.
    /// - Source: https://sqlite.org/lang_keywords.html
    private static let keywords = """
        abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade
        case cast check collate column commit conflict constraint create cross current current_date current_time
        current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end escape
        except exclude exclusive exists explain fail filter first following for foreign from full generated glob group
        groups having if ignore immediate in index indexed initially inner insert instead intersect into is isnull join
        key last left like limit match materialized natural no not nothing notnull null nulls of offset on or order others
        outer over partition plan pragma preceding primary query raise range recursive references regexp reindex release
        rename replace restrict returning right rollback row rows savepoint select set table temp temporary then ties to
        transaction trigger unbounded union unique update using vacuum values view virtual when where window with without
        """.split(whereSeparator: \.isWhitespace).map(String.init)
}
