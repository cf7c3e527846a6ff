import API
import Testing

@testable import Control

@Suite struct HyperlinkTests {
    @Test(arguments: [
        ("https://a.example/?q=1&x=%20;y", "https://a.example/?q=1&x=%20;y"),
        ("https://a/\u{1B}\\\u{7} \n\u{0}", "https://a/%1B\\%07%20%0A%00"),
        ("https://a/検索", "https://a/%E6%A4%9C%E7%B4%A2"),
        ("https://a/\u{9B}\u{7F}", "https://a/%C2%9B%7F"),
    ])
    func `only printable ASCII gets into the escape sequence`(url: String, expected: String) {
        #expect(Hyperlink(url)?.url == expected)
    }

    @Test func `what no terminal would open is no link`() {
        #expect(Hyperlink("") == nil)
        #expect(Hyperlink("https://a/" + String(repeating: "x", count: 2074)) == nil)
        #expect(Hyperlink("https://a/" + String(repeating: "x", count: 2073)) != nil)
    }

    @Test func `the width of a line does not count the sequences`() {
        var line = StyledLine()
        line.append("仕様書", .note, link: Hyperlink("https://a"))
        line.append(" x")
        #expect(line.width == 8)
        let open = "\u{1B}]8;;https://a\u{1B}\\"
        let close = "\u{1B}]8;;\u{1B}\\"
        #expect(line.rendered(Style(width: 80, hasLinks: true)) == "\(open)仕様書\(close) x")
        #expect(line.rendered(Style(width: 6, hasLinks: true)) == "\(open)仕様\(close)…")
        #expect(
            line.rendered(Style(width: 80, isColoured: true, hasLinks: true))
                == "\(open)\u{1B}[36m仕様書\u{1B}[0m\(close) x")
        #expect(line.rendered(Style(width: 80)) == "仕様書 x")
    }

    @Test(arguments: [
        (80, "xterm", "", true), (80, "dumb", "", false), (nil, "xterm", "", false), (80, "xterm", "less", false),
    ])
    func `links are for terminals that know them, and not for pagers`(
        width: Int?, terminal: String, pager: String, isLink: Bool
    ) async throws {
        let (run, _) = try await ask(
            "event", "10", "--color", "never", width: width, environment: ["TERM": terminal, "GLOSS_PAGER": pager]
        ) { try Fixture.answer($0, []) }
        let url = "https://sql.example.com/?q=recipe_detail"
        #expect(
            run.output.contains("SQL  \u{1B}]8;;\(url)\u{1B}\\\(url)\u{1B}]8;;\u{1B}\\")
                == isLink)
        #expect(run.output.contains("SQL  \(url)") == !isLink)
    }
}
