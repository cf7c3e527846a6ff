import API
import Model
import TestSupport
import Testing

@testable import Serve

struct DefinitionSearchTests {
    private static let category = DefinitionCategory(
        name: "recipe_detail", title: nil, description: "", parameters: [Parameter(name: "column", type: .string)],
        definitions: [])
    private static let definition = Sample.definition(
        "recipe_detail/tap_save_button", "レシピを保存した時。ＡＰＩ Café Ünïcode",
        [
            Parameter(name: "recipe_id", type: .bigint, description: ["Id of the recipe", "never 0"]),
            Parameter(name: "keyword", type: .string, description: ["検索語"]),
        ])

    private func places(_ words: String) throws -> [DefinitionList.Match]? {
        try #require(DefinitionSearch(words))
            .matches(of: Self.definition, in: DefinitionSearch.Category(Self.category))
    }

    @Test func `words are found in names, descriptions and parameters, and each place is said`() throws {
        #expect(
            try places("recipe") == [
                .init(.category), .init(.parameter, parameter: "recipe_id"),
                .init(.parameterDescription, parameter: "recipe_id"),
            ])
        #expect(try places("TAP_save") == [.init(.name)])
        #expect(try places("olum") == [.init(.parameter, parameter: "column")])
    }

    @Test(arguments: ["保存した", "シピ", "検索", "café", "CAFE\u{301}", "ünïcode", "ＡＰＩ", "ａｐｉ"])
    func `characters are found in the middle of others, in any case and composed or not`(word: String) throws {
        #expect(try places(word)?.isEmpty == false)
    }

    @Test func `all words must occur, wherever`() throws {
        #expect(try places("detail 検索語") == [.init(.category), .init(.parameterDescription, parameter: "keyword")])
        #expect(try places("detail nowhere") == nil)
        #expect(try places("レシピ保存") == nil)
    }

    @Test func `half a character is not found`() throws {
        // か without its mark, where the text has が.
        let definition = Sample.definition("a/b", "か\u{3099}んばる")
        let category = DefinitionSearch.Category(Self.category)
        #expect(DefinitionSearch("か")?.matches(of: definition, in: category) == nil)
        #expect(DefinitionSearch("が")?.matches(of: definition, in: category) == [.init(.description)])
    }

    @Test func `no words are no search`() {
        #expect(DefinitionSearch(" \t") == nil)
    }
}

struct SubsequenceSearchTests {
    @Test(arguments: [
        ("aab", "aaab", true), ("abab", "abacababc", true), ("abc", "ababab", false), ("a", "", false),
        ("aaa", "aabaab", false), ("x", "xyz", true), ("z", "xyz", true),
    ])
    func `a repeated beginning is not overlooked`(wanted: String, text: String, occurs: Bool) {
        #expect(SubsequenceSearch(Array(wanted.utf8)).occurs(in: Array(text.utf8)) == occurs)
    }

    @Test func `it finds what the standard library finds`() {
        var random = SeededGenerator(seed: 4711)
        for _ in 0..<2000 {
            let text = random.text(of: "ab", length: 0...20)
            let wanted = random.text(of: "ab", length: 1...4)
            let found = SubsequenceSearch(Array(wanted.utf8)).occurs(in: Array(text.utf8))
            #expect(found == text.contains(wanted), "\(wanted) in \(text)")
        }
    }
}
