import Model
import Testing

@testable import API

struct DefinitionQueryTests {
    @Test func `what a query is written as reads back as the same query`() throws {
        var query = DefinitionQuery()
        query.search = "保存 Recipe &+="
        query.state = .unseen
        query.limit = 7
        query.after = EventKey(category: "recipe_detail", name: "a/b")
        let path = APIPath.definitions(dictionary: "my shop", query)
        #expect(path.hasPrefix("/v1/dictionaries/my%20shop/definitions?search="))
        let text = path.split(separator: "?").last.map(String.init)
        #expect(try DefinitionQuery(urlQuery: text) == query)
        #expect(try DefinitionQuery(urlQuery: nil) == DefinitionQuery())
        #expect(APIPath.definitions(dictionary: "shop") == "/v1/dictionaries/shop/definitions")
    }

    @Test(arguments: [
        ("states=seen", "states"), ("state=odd", "state"), ("n=all", "n"), ("n=-1", "n"), ("n=10001", "n"),
        ("after=recipe", "after"), ("search=", "search"), ("search=+%20", "search"), ("n=1&n=2", "n"),
        ("search=%ff", "search"),
    ])
    func `a wrong parameter is named`(text: String, parameter: String) {
        let error = #expect(throws: QueryError.self) { try DefinitionQuery(urlQuery: text) }
        #expect(error?.parameter == parameter)
    }

    @Test func `a search has a bounded number of characters and of words`() throws {
        let characters = String(repeating: "a", count: 256)
        let words = Array(repeating: "a", count: 16).joined(separator: "+")
        #expect(try DefinitionQuery(urlQuery: "search=\(characters)").search == characters)
        #expect(try DefinitionQuery(urlQuery: "search=\(words)").search.count == 31)
        #expect(throws: QueryError.self) { try DefinitionQuery(urlQuery: "search=\(characters)a") }
        #expect(throws: QueryError.self) { try DefinitionQuery(urlQuery: "search=\(words)+a") }
    }
}
