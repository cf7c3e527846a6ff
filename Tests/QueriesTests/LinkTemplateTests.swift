import API
import Model
import Testing

@testable import Queries

struct LinkTemplateTests {
    private let key = EventKey(category: "recipe detail", name: "保存/&?#")

    private func url(_ template: String, path: String? = nil) -> String? {
        LinkTemplate(name: "link", template: template).url(key: key, path: path)
    }

    @Test func `values are percent-encoded, the rest of the address stays`() {
        #expect(
            url("https://example.com/{category}?e={event}&p=1#{category}")
                == "https://example.com/recipe%20detail?e=%E4%BF%9D%E5%AD%98%2F%26%3F%23&p=1#recipe%20detail")
        #expect(url("https://example.com/", path: nil) == "https://example.com/")
        #expect(url("https://example.com/?path={path}", path: "/a/*") == "https://example.com/?path=%2Fa%2F%2A")
    }

    @Test func `what an address may not have is escaped in the template's own text, too`() {
        #expect(
            url("https://example.com/料理?q={category}&日=本 x&r=%E3+[1]#\"<{event}>")
                == "https://example.com/%E6%96%99%E7%90%86?q=recipe%20detail&%E6%97%A5=%E6%9C%AC%20x&r=%E3+[1]"
                + "#%22%3C%E4%BF%9D%E5%AD%98%2F%26%3F%23%3E")
    }

    @Test(arguments: ["https://example.com/{path}", "https://example.com/{name}", "https://example.com/{event", "{}"])
    func `an address with a place that has no value is none`(template: String) {
        #expect(url(template) == nil)
    }

    @Test(arguments: [
        (#"{"path":"/recipes/123/steps/4?page=2"}"#, "/recipes/*/steps/*"),
        (#"{"path":"/v2/recipes/12a"}"#, "/v2/recipes/12a"),
        (#"{"path":"https:\/\/example.com\/recipes\/7#top"}"#, "/recipes/*"),
        (#"{"path":"https://example.com?x=1"}"#, "/"),
        (#"{"path":"/recipes/7?\u0301key=1"}"#, "/recipes/*"),
        (#"{"path":"/first","path":"/last"}"#, "/last"),
        (#"{"path":"/料理/１２"}"#, "/料理/*"),
        (#"{"path":"/recipes/42.json"}"#, "/recipes/*.json"),
        (#"{"path":"/recipes/12-13/x12-13"}"#, "/recipes/*-*/x12-*"),
        (#"{"path":"/at/12.5,-3/a_1/2_000/7th"}"#, "/at/*.*,-*/a_1/2_000/7th"),
        (#"{"path":"/a%20/x%2012/3%E3%83%AC/%4"}"#, "/a%20/x%2012/3%E3%83%AC/%*"),
        (#"{"path":"/i/550E8400-e29b-41d4-a716-446655440000"}"#, "/i/*"),
        (#"{"path":"/i/550e8400-e29b-41d4-a716-446655440000.png"}"#, "/i/*.png"),
        (#"{"path":"/i/550e8400-e29b-41d4-a716-446655440000a"}"#, "/i/550e8400-e29b-41d4-a716-446655440000a"),
        (#"{"path":"/redirect/https://example.com/x/5"}"#, "/redirect/https://example.com/x/*"),
        (#"{"path":"recipes/https://example.com/5"}"#, nil),
        (#"{"path":""}"#, nil), (#"{"path":"<private>"}"#, nil), (#"{"path":"recipes/12"}"#, nil),
        (#"{"path":7}"#, nil), (#"{"other":"/a"}"#, nil), (#"{"nested":{"path":"/a"}}"#, nil), ("not JSON", nil),
    ])
    func `the path is the payload's, its numbers replaced`(payload: String, path: String?) {
        #expect(LinkTemplate.path(ofPayload: Array(payload.utf8)) == path)
    }

    @Test func `a path of any length is not taken`() {
        let path = "/" + String(repeating: "a", count: 5000)
        #expect(LinkTemplate.path(ofPayload: Array(#"{"path":"\#(path)"}"#.utf8)) == nil)
    }

    @Test func `links without their values are left out, the others keep their order`() {
        let templates = [
            LinkTemplate(name: "SQL", template: "https://sql/{event}"),
            LinkTemplate(name: "page", template: "https://page/{path}"),
            LinkTemplate(name: "code", template: "https://code/{category}"),
        ]
        let key = EventKey(category: "a", name: "b")
        #expect(templates.links(to: key, payload: nil).map(\.name) == ["SQL", "code"])
        #expect(
            templates.links(to: key, payload: Array(#"{"path":"/x"}"#.utf8)).map(\.url)
                == ["https://sql/b", "https://page/%2Fx", "https://code/a"])
    }
}
