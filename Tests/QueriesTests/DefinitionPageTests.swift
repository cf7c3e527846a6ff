import TestSupport
import API
import Model
@testable import Store
import Testing

@testable import Queries

struct DefinitionPageTests {
    private static func uses(_ uses: [EventCount] = []) -> DefinitionUses { DefinitionUses(uses, of: "shop") }

    private static func use(_ key: String, _ resolution: Resolution, _ count: Int64, of dictionary: String = "shop")
        -> EventCount
    {
        EventCount(
            dictionary: dictionary, key: Sample.definition(key).key, resolution: resolution, count: count,
            firstMicroseconds: 10, lastMicroseconds: UInt64(20 + count), lastEventID: 1)
    }

    private static func keys(_ list: DefinitionList) -> [String] {
        list.categories.flatMap { category in category.definitions.map { "\(category.name)/\($0.name)" } }
    }

    private static let all = [
        "recipe_detail/tap_save_button", "recipe_detail/never_sent", "recipe_detail/old_event",
        "recipe_detail/older_event", "search/run",
    ]

    @Test func `each definition has its state, its counts and its last time`() throws {
        let uses = Self.uses([
            Self.use("recipe_detail/tap_save_button", .resolved, 3),
            Self.use("recipe_detail/tap_save_button", .violating, 1),
            Self.use("recipe_detail/old_event", .resolved, 2),
            Self.use("search/run", .resolved, 5, of: "other"),
        ])
        let list = try DefinitionPage(Sample.shop, query: DefinitionQuery(), uses: uses).list()
        let items = list.categories.flatMap(\.definitions)
        #expect(Self.keys(list) == Self.all)
        #expect(items.map(\.state) == [.seen, .unseen, .obsolete, .obsolete, .unseen])
        #expect(items[0].seen == ["resolved": 3, "violating": 1])
        #expect(items[0].lastSeen == WireTime(microseconds: 23))
        #expect(items[2].seen == ["resolved": 2])
        #expect(items[1].seen == [:] && items[1].lastSeen == nil)
        #expect(list.total == 5 && list.next == nil)
    }

    @Test(arguments: 1...6)
    func `pages of any length are together all definitions`(length: Int) throws {
        var query = DefinitionQuery()
        query.limit = length
        var keys: [String] = []
        repeat {
            let page = try DefinitionPage(Sample.shop, query: query, uses: Self.uses()).list()
            #expect(page.total == 5)
            keys += Self.keys(page)
            query.after = page.next.flatMap(EventKey.init(path:))
        } while query.after != nil
        #expect(keys == Self.all)
    }

    @Test func `a search and a state choose, and total counts what they chose`() throws {
        var query = DefinitionQuery()
        query.state = .obsolete
        query.search = "OLD"
        query.limit = 1
        let first = try DefinitionPage(Sample.shop, query: query, uses: Self.uses()).list()
        #expect(Self.keys(first) == ["recipe_detail/old_event"])
        #expect(first.total == 2 && first.next == "recipe_detail/old_event")
        #expect(first.categories[0].definitions[0].matches == [.init(.name)])
        // After a definition that the search does not find.
        query.after = Sample.definition("recipe_detail/never_sent").key
        query.limit = 9
        let rest = try DefinitionPage(Sample.shop, query: query, uses: Self.uses()).list()
        #expect(Self.keys(rest) == ["recipe_detail/old_event", "recipe_detail/older_event"])
    }

    @Test func `n=0 gives what all definitions have in common`() throws {
        var query = DefinitionQuery()
        query.limit = 0
        let list = try DefinitionPage(Sample.shop, query: query, uses: Self.uses()).list()
        #expect(list.commonParameters.map(\.name) == ["user_id"])
        #expect(list.categories.isEmpty && list.next == nil && list.total == 5)
        #expect(list.otherKeys == nil)
    }

    @Test func `it is said whether a source has another key`() throws {
        var dictionary = Sample.shop
        for (member, otherKeys) in [("event_name", nil), ("name", true)] as [(String, Bool?)] {
            var layout = PayloadLayout(members: "event_category", member)
            layout.parametersAt = MemberPath("properties")
            dictionary.options.layoutOfSource = ["source": layout]
            let list = try DefinitionPage(dictionary, query: DefinitionQuery(), uses: Self.uses()).list()
            #expect(list.otherKeys == otherKeys && list.key == ["event_category", "event_name"])
        }
    }

    private static let described: EventDictionary = {
        let categories = zip(Sample.shop.categories, ["レシピの画面 run", "検索の画面 run"]).map { category, description in
            var category = category
            category.description = description
            return category
        }
        return EventDictionary(
            options: Sample.shop.options, version: Sample.shop.version, common: Sample.shop.common,
            categories: categories)
    }()

    @Test func `what categories and common parameters have is found without all of their definitions`() throws {
        var query = DefinitionQuery()
        query.search = "user_id"
        let common = try DefinitionPage(Self.described, query: query, uses: Self.uses()).list()
        #expect(common.commonMatches == [.init(.parameter, parameter: "user_id")])
        #expect(common.categories.isEmpty && common.total == 0)
        query.search = "レシピの画面"
        let category = try DefinitionPage(Self.described, query: query, uses: Self.uses()).list()
        #expect(category.categories.map(\.name) == ["recipe_detail"])
        #expect(category.categories[0].matches == [.init(.categoryDescription)])
        #expect(Self.keys(category).isEmpty && category.total == 0 && category.commonMatches == [])
        query.state = .unseen
        #expect(try DefinitionPage(Self.described, query: query, uses: Self.uses()).list().categories.isEmpty)
    }

    @Test(arguments: 1...4)
    func `pages of any length have each category that is found once`(length: Int) throws {
        var query = DefinitionQuery()
        query.search = "run"
        query.limit = length
        var found: [String] = []
        var common = 0
        repeat {
            let page = try DefinitionPage(Self.described, query: query, uses: Self.uses()).list()
            #expect(page.total == 1)
            common += page.commonMatches == nil ? 0 : 1
            for category in page.categories {
                if category.matches != nil { found.append(category.name) }
                found += category.definitions.map { "\(category.name)/\($0.name)" }
            }
            query.after = page.next.flatMap(EventKey.init(path:))
        } while query.after != nil && found.count < 10
        #expect(found == ["recipe_detail", "search", "search/run"])
        #expect(common == 1)
    }

    @Test func `a page ends early when definitions are long`() throws {
        let long = String(repeating: "x", count: 3 << 20)
        let dictionary = Sample.defining((0..<4).map { Sample.definition("a/\($0)", long) })
        let page = try DefinitionPage(dictionary, query: DefinitionQuery(), uses: Self.uses()).list()
        #expect(Self.keys(page) == ["a/0", "a/1"])
        #expect(page.next == "a/1" && page.total == 4)
    }

    private static let chosen = Parameter(
        name: "code",
        type: .custom(
            name: "Code",
            meaning: .values((0..<3).map { ExactString("\($0)\(String(repeating: "x", count: 1 << 20))") })))

    @Test func `a page ends early when the types of parameters allow many values`() throws {
        let dictionary = Sample.defining((0..<4).map { Sample.definition("a/\($0)", "", [Self.chosen]) })
        let page = try DefinitionPage(dictionary, query: DefinitionQuery(), uses: Self.uses()).list()
        #expect(Self.keys(page) == ["a/0", "a/1"])
        #expect(page.next == "a/1" && page.total == 4)
    }

    @Test func `a page ends early when the parameters of categories are long`() throws {
        let categories = (0..<4).map { number in
            DefinitionCategory(
                name: "c\(number)", title: nil, description: "", parameters: [Self.chosen],
                definitions: [Sample.definition("c\(number)/run")])
        }
        let dictionary = EventDictionary(
            options: Sample.shop.options, version: Sample.shop.version, common: [], categories: categories)
        let page = try DefinitionPage(dictionary, query: DefinitionQuery(), uses: Self.uses()).list()
        #expect(Self.keys(page) == ["c0/run", "c1/run"])
        #expect(page.next == "c1/run" && page.total == 4)
    }

    @Test(arguments: ["recipe_detail/gone", "gone/run", "gone/"])
    func `a page after a definition that is gone is refused`(key: String) {
        var query = DefinitionQuery()
        query.after = Sample.definition(key).key
        let error = #expect(throws: QueryError.self) {
            try DefinitionPage(Sample.shop, query: query, uses: Self.uses()).list()
        }
        #expect(error?.parameter == "after")
    }
}
