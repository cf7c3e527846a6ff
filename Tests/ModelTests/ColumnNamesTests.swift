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
        let (whole, cut) = (String(repeating: "a", count: 63), String(repeating: "a", count: 61))
        #expect(names(long, "\(long)b", long) == [whole, "\(cut)_2", "\(cut)_3"])
        #expect(names("1\(long)") == ["_1\(cut)"])
        let japanese = String(repeating: "あ", count: 30)
        #expect(names(japanese) == [String(repeating: "あ", count: 21)])
        #expect(names("x\(japanese)", "x\(japanese)").map(\.utf8.count) == [61, 63])
        let many = names(Array(repeating: long, count: 1200))
        #expect(many.allSatisfy { $0.utf8.count == 63 })
        #expect(Set(exact: many).count == 1200)
    }
}
