import API
import Model
import Testing

@testable import Control

@Suite struct NearKeysTests {
    private static let known = ["shop/buy", "shop/bye", "recipe/save", "search/start", "検索/開始"].compactMap {
        EventKey(path: $0)
    }

    @Test(arguments: [
        ("shop/buyy", ["shop/buy", "shop/bye"]), ("SHOP/BUY", ["shop/buy", "shop/bye"]),
        ("recipes/start", ["search/start"]), ("検素/開始", ["検索/開始"]), ("nothing/like_it", []),
    ])
    func `keys are near by their letters or by their name`(key: String, expected: [String]) throws {
        let key = try #require(EventKey(path: key))
        #expect(NearKeys.of(key, in: Self.known).map(\.description) == expected)
    }

    @Test(arguments: [("recipes", ["recipe"]), ("Serch", ["search"]), ("検素", ["検索"]), ("nothing", [])])
    func `categories are near by their letters`(category: String, expected: [String]) {
        #expect(NearKeys.categories(like: category, in: Self.known) == expected)
    }
}
