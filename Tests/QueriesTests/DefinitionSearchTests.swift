import API
import Model
import TestSupport
import Testing

@testable import Queries

struct DefinitionSearchTests {
    private static let category = DefinitionCategory(
        name: "recipe_detail", title: nil, description: "", parameters: [Parameter(name: "column", type: .string())],
        definitions: [])
    private static let definition = Sample.definition(
        "recipe_detail/tap_save_button", "レシピを保存した時。ＡＰＩ Café Ünïcode",
        [
            Parameter(name: "recipe_id", type: .bigint, description: ["Id of the recipe", "never 0"]),
            Parameter(name: "keyword", type: .string(), description: ["検索語"]),
        ])

    private func places(_ words: String) throws -> [DefinitionList.Match]? {
        try #require(DefinitionSearch(words))
            .matches(of: Self.definition, in: DefinitionSearch.Category(Self.category))
    }

    @Test func `words are found in names, descriptions and parameters, and each place is named`() throws {
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

    @Test(arguments: ["detail/tap", "RECIPE_detail/TAP_save_button", "l/t"])
    func `a word with a slash is looked for in the key as it is printed`(word: String) throws {
        #expect(try places(word) == [.init(.key)])
        #expect(try places("detail/save") == nil)
    }

    @Test func `allowed values and types of one's own are found`() throws {
        let category = DefinitionSearch.Category(Self.category)
        let order = Parameter(name: "order", type: .custom(name: "SortOrder", meaning: .values(["new", "人気順"])))
        let plan = Parameter(name: "plan", type: .string(), allowedValues: ["free", "premium"])
        let definition = Sample.definition("a/b", "", [order, plan])
        let places = { (words: String) -> [DefinitionList.Match]? in
            DefinitionSearch(words)?.matches(of: definition, in: category)
        }
        #expect(places("人気") == [.init(.parameterValue, parameter: "order")])
        #expect(places("PREM") == [.init(.parameterValue, parameter: "plan")])
        #expect(places("sortorder") == [.init(.parameterType, parameter: "order")])
        #expect(places("string") == nil)
    }

    @Test func `what definitions share finds them only together with a word of their own`() throws {
        let common = Parameter(name: "user_id", type: .bigint, description: ["Id of the user"])
        var category = Self.category
        category.title = "Recipe details"
        category.description = "レシピの画面\nsecond line"
        let search = try #require(DefinitionSearch("user_id 保存"))
        let shared = DefinitionSearch.Category(category, common: DefinitionSearch.texts(of: common))
        #expect(
            search.matches(of: Self.definition, in: shared)
                == [.init(.description), .init(.parameter, parameter: "user_id")])
        #expect(search.matches(of: [common]).isEmpty)
        #expect(search.matches(of: category) == nil)
        for words in ["user_id", "画面", "details", "user_id 画面"] {
            #expect(DefinitionSearch(words)?.matches(of: Self.definition, in: shared) == nil, "\(words)")
        }
        #expect(
            DefinitionSearch("画面 tap")?.matches(of: Self.definition, in: shared)?.last == .init(.categoryDescription))
    }

    @Test func `categories and common parameters are found by themselves`() throws {
        var category = Self.category
        category.title = "Recipe details"
        category.description = "レシピの画面\nsecond line"
        let matches = { (words: String) -> [DefinitionList.Match]? in DefinitionSearch(words)?.matches(of: category) }
        #expect(matches("recipe") == [.init(.category), .init(.categoryTitle)])
        #expect(matches("画面 LINE") == [.init(.categoryDescription)])
        #expect(matches("画面 tap") == nil)
        category.title = category.name
        #expect(matches("recipe") == [.init(.category)])
        let parameters = [
            Parameter(name: "user_id", type: .bigint, description: ["Id of the user"]),
            Parameter(name: "user_plan", type: .string()), Parameter(name: "time", type: .timestamp),
        ]
        #expect(
            DefinitionSearch("user id")?.matches(of: parameters)
                == [.init(.parameter, parameter: "user_id"), .init(.parameterDescription, parameter: "user_id")])
    }

    @Test func `half a character is not found`() throws {
        // か without its mark, where the text has が.
        let definition = Sample.definition("a/b", "か\u{3099}んばる")
        let category = DefinitionSearch.Category(Self.category)
        #expect(DefinitionSearch("か")?.matches(of: definition, in: category) == nil)
        #expect(DefinitionSearch("が")?.matches(of: definition, in: category) == [.init(.description)])
    }

    @Test func `a mark after a space is a word, as for the check of the query`() throws {
        let text = " \u{301}"
        #expect(try DefinitionQuery(urlQuery: "search=%20%CC%81").search.utf8.elementsEqual(text.utf8))
        #expect(try places(text) == nil)
    }

    @Test func `no words are no search`() {
        #expect(DefinitionSearch(" \t") == nil)
    }
}
