import Model
import Testing

@testable import Control

@Suite struct SearchCommandTests {
    @Test(arguments: [["search"], ["definitions", "search"]])
    func `search shows where the words are`(command: [String]) async throws {
        let daemon = try FakeDaemon { (try? Fixture.answer($0, [])) ?? .problem(500, "") }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + command + ["SAVE", "保存 した"])
        #expect(run.status == .done)
        #expect(
            daemon.requests.map(\.target).last
                == "/v1/dictionaries/shop/definitions?search=SAVE%20%E4%BF%9D%E5%AD%98%20%E3%81%97%E3%81%9F&n=10000")
        try expectSnapshot(run.output, "search-pipe")
    }

    @Test func `a terminal gets the words highlighted`() async throws {
        let (run, _) = try await ask("search", "save", "保存", width: 80) { try Fixture.answer($0, []) }
        try expectSnapshot(run.output.replacing("\u{1B}", with: "ESC"), "search-80-colour")
    }

    /// A reply in which a common parameter and two categories were found, one with its definition.
    private static let shared = #"""
        {"dictionary":"shop","version":"0","total":1,
         "key":["event_category","event_name"],"common_parameters":[
          {"name":"user_id","type":"bigint","written":"!bigint","custom":false,"optional":false,"obsolete":false,"privacy":"hash",
           "description":["画面を見た人のId"]},
          {"name":"time","type":"timestamp","written":"!timestamp","custom":false,"optional":false,"obsolete":false,"privacy":"public",
           "description":[]}],
         "common_matches":[{"place":"parameter-description","parameter":"user_id"}],
         "types":[{"type":{"name":"Screen","description":"画面","extra_parameters":false,"source":"types/ui.md:1",
           "members":[{"name":"name","type":"string","written":"!string 64","custom":false,"optional":false,
            "obsolete":false,"privacy":"public","description":["この画面の名"]},{"name":"width","type":"integer",
            "written":"!integer","custom":false,"optional":false,"obsolete":false,"privacy":"public","description":[]}]},
           "matches":[{"place":"type-description"},{"place":"parameter-description","parameter":"name"}]}],
         "categories":[
          {"name":"recipe_detail","title":"レシピの画面","description":"About recipes.\nこの画面は。","parameters":[],
           "definitions":[],"matches":[{"place":"category-title"},{"place":"category-description"}]},
          {"name":"search","title":"search","description":"検索の画面","parameters":[],
           "matches":[{"place":"category-description"}],
           "definitions":[{"name":"run","description":"When it ran.","obsolete":false,"state":"seen","seen":{},
            "parameters":[{"name":"order","type":"Order","written":"Order?","custom":true,"optional":true,"obsolete":false,
             "values":["new","画面順"],"privacy":"public","description":["How it is sorted"]}],
            "matches":[{"place":"parameter-value","parameter":"order"},{"place":"parameter","parameter":"time"},
             {"place":"category-description"}]}]}]}
        """#

    private func found(_ words: String, width: Int? = nil) async throws -> String {
        let (run, _) = try await ask("search", words, width: width, environment: ["NO_COLOR": "1"]) { request in
            request.target == "/v1/dictionaries"
                ? try Fixture.answer(request, []) : .document(Array(Self.shared.utf8))
        }
        #expect(run.status == .done)
        return run.output
    }

    @Test func `common parameters, types and categories that are found stand before the definitions`() async throws {
        #expect(
            try await found("画面") == """
                Common parameters
                  user_id !bigint  画面を見た人のId

                type Screen
                  画面
                  member name !string 64  この画面の名

                category recipe_detail
                  レシピの画面
                  About recipes.
                  この画面は。

                category search
                  検索の画面

                search/run
                  When it ran.
                  parameter order Order?  How it is sorted · values: new, 画面順
                  common parameter time !timestamp
                  category 検索の画面

                """)
    }

    @Test(arguments: [
        ("z", 10, "…wxyz012…"), ("z", 40, "abcdefghijklmnopqrstuvwxyz0123456789"), ("w", 10, "…tuvwxyz…"),
        ("w", 11, "…stuvwxyz0…"), ("w", 9, "…tuvwxyz…"), ("b 8", 10, "abcd…6789"), ("b 8", 5, "…b…8…"),
        ("b 8", 4, "abc…"), ("9", 5, "…6789"), ("a", 5, "abcd…"), ("nothing", 5, "abcd…"),
    ])
    func `a text is cut around the words`(words: String, room: Int, expected: String) {
        let pieces = WordSearch(words).pieces("abcdefghijklmnopqrstuvwxyz0123456789", room: room)
        #expect(pieces.map(\.text).joined() == expected)
    }

    @Test func `a text of wide characters is cut around the words, too`() {
        let text = String(repeating: "前", count: 50) + "保存" + String(repeating: "後", count: 50)
        for room in 6...120 {
            let shown = WordSearch("保存").pieces(text, room: room).map(\.text).joined()
            #expect(shown.contains("保存") && DisplayWidth.columns(shown) <= room, "\(room): \(shown)")
            #expect(DisplayWidth.columns(shown) > room - 4, "\(room): \(shown)")
        }
    }

    @Test func `nothing found is a no`() async throws {
        let empty = #"{"dictionary":"shop","version":"0","key":[],"common_parameters":[],"categories":[],"total":0}"#
        for format in ["text", "json"] {
            let (run, _) = try await ask("search", "nothing", "-o", format) { request in
                request.target == "/v1/dictionaries"
                    ? try Fixture.answer(request, []) : .document(Array(empty.utf8))
            }
            #expect(run.status == .no)
            #expect(run.output == (format == "json" ? "[\(empty)]\n" : ""))
            #expect(
                run.errors
                    == "glossctl: nothing: found nowhere in dictionary shop; for events: glossctl show -g 'nothing'\n")
        }
        let (two, _) = try await ask("search", "no", "thing") { request in
            request.target == "/v1/dictionaries" ? try Fixture.answer(request, []) : .document(Array(empty.utf8))
        }
        #expect(
            two.errors == """
                glossctl: no thing: nothing has all of these words in dictionary shop

                """)
        let (pattern, _) = try await ask("search", "pay('a+b')") { request in
            request.target == "/v1/dictionaries" ? try Fixture.answer(request, []) : .document(Array(empty.utf8))
        }
        #expect(pattern.errors.hasSuffix(#"; for events: glossctl show -g 'pay\('\''a\+b'\''\)'"# + "\n"))
    }

    @Test(arguments: [
        ("save", "When Saved", ["When ", "[Save]", "d"]), ("保存", "未保存の保存", ["未", "[保存]", "の", "[保存]"]),
        ("aa", "aaaba", ["[aaa]", "ba"]), ("e", "e\u{301}e", ["e\u{301}", "[e]"]), ("long", "lo", ["lo"]),
        ("a b", "b a", ["[b]", " ", "[a]"]), ("x", "", []), ("straße", "STRASSE", ["STRASSE"]),
    ])
    func `a word is found anywhere in a text`(words: String, text: String, expected: [String]) {
        let pieces = WordSearch(words).pieces(text).map { $0.isMatch ? "[\($0.text)]" : $0.text }
        #expect(pieces == expected)
    }
}
