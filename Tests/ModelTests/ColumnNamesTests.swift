import GRDB
import Model
import Testing

struct ColumnNamesTests {
    private func names(_ paths: String...) -> [String] { names(paths) }

    private func names(_ paths: [String]) -> [String] {
        var names = ColumnNames()
        return paths.map { names.name(for: $0) }
    }

    @Test(arguments: [
        ("recipe_id", "recipe_id"), ("recipeID", "recipeID"), ("device.os", "device_os"), ("a.b.c", "a_b_c"),
        ("user-id", "user_id"), ("a b", "a_b"), ("$price", "_price"), ("a\"b'c;", "a_b_c_"), ("注文", "注文"),
        ("レシピ.名前", "レシピ_名前"), ("価格(円)", "価格_円_"), ("価格（円）", "価格_円_"), ("a\u{3000}b", "a_b"), ("é", "é"),
        ("e\u{301}", "e\u{301}"), ("हिन्दी", "हिन्दी"), ("№1", "_1"), ("👍", "_"), ("", "_"), ("_", "_"), ("__a", "__a"),
        ("2fa", "_2fa"), ("a2", "a2"), ("１位", "１位"), ("1.2", "_1_2"),
    ])
    func `letters, digits and underscores stay, and all else is an underscore`(path: String, name: String) {
        #expect(names(path) == [name])
    }

    @Test(arguments: [
        ("order", "order_"), ("ORDER", "ORDER_"), ("User", "User_"), ("index", "index_"), ("values", "values_"),
        ("xmin", "xmin_"), ("left", "left_"), ("order.by", "order_by"), ("order_", "order_"),
        ("action", "action"), ("key", "key"), ("time", "time"), ("level", "level"), ("id", "id"), ("event", "event"),
    ])
    func `a reserved word ends with an underscore`(path: String, name: String) {
        #expect(names(path) == [name])
    }

    @Test(arguments: [
        ("gloss_id", "_gloss_id"), ("Gloss.id", "_Gloss_id"), ("gloss", "gloss"), ("glossary", "glossary"),
    ])
    func `names that begin with gloss are left to other columns`(path: String, name: String) {
        #expect(names(path) == [name])
    }

    @Test func `equal names are numbered in the order of the definition`() {
        #expect(names("a.b", "a_b", "a-b") == ["a_b", "a_b_2", "a_b_3"])
        #expect(names("userId", "userID", "USERID") == ["userId", "userID_2", "USERID_3"])
        #expect(names("order", "order_", "Order") == ["order_", "order__2", "Order__3"])
        // A number that is taken is left out.
        #expect(names("a", "a_2", "a", "a_2") == ["a", "a_2", "a_3", "a_2_2"])
        #expect(names("a", "a", "a_2") == ["a", "a_2", "a_2_2"])
    }

    @Test func `only ASCII letters are equal without regard to case, and no form of Unicode is another`() {
        #expect(names("Ä", "ä") == ["Ä", "ä"])
        let forms = names("é", "e\u{301}")
        #expect(forms.map { Array($0.utf8) } == [Array("é".utf8), Array("e\u{301}".utf8)])
    }

    @Test func `a name has at most 63 bytes, cut at a character, and stays different`() {
        let long = String(repeating: "a", count: 70)
        let shorter = String(repeating: "a", count: 61)
        #expect(names(long, long + "b", long) == [shorter + "aa", shorter + "_2", shorter + "_3"])
        let japanese = String(repeating: "あ", count: 30)
        #expect(names(japanese) == [String(repeating: "あ", count: 21)])
        #expect(names("x" + japanese, "x" + japanese).map(\.utf8.count) == [61, 63])
        #expect(names("1" + long).first == "_1" + long.prefix(61))
        let many = names(Array(repeating: long, count: 1200))
        #expect(many.allSatisfy { $0.utf8.count == 63 })
        #expect(Set(exact: many).count == 1200)
    }

    @Test func `SQLite has all of them without quotes`() throws {
        let paths =
            Array(ColumnNames.reservedWords.map(\.text).sorted())
            + Self.keywords + [
                "device.os", "device_os", "user-id", "注文", "レシピ.名前", "価格(円)", "é", "e\u{301}", "हिन्दी", "2fa", "１位", "👍",
                "", "userId", "USERID", "a\"b'; DROP TABLE events; --", "rowid", "oid", "gloss_id", "true", "x\u{0}y",
                "\u{FEFF}x", "a\u{200B}b", "\u{10FFFF}", String(repeating: "あ", count: 30),
                String(repeating: "あ", count: 30),
            ]
        let names = names(paths)
        let database = try DatabaseQueue()
        try database.write { database in
            for (index, part) in stride(from: 0, to: names.count, by: 100).enumerated() {
                let columns = names[part..<min(part + 100, names.count)]
                let table = "events_\(index)"
                let list = columns.joined(separator: ", ")
                try database.execute(
                    sql: "CREATE TABLE \(table) (\(columns.map { "\($0) text" }.joined(separator: ", ")))")
                let values = columns.map { "v \($0)" }
                try database.execute(
                    sql: "INSERT INTO \(table) (\(list)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))",
                    arguments: StatementArguments(values))
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
