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

    @Test func `nothing found is a no`() async throws {
        let empty = #"{"dictionary":"shop","version":"0","common_parameters":[],"categories":[],"total":0}"#
        for format in ["text", "json"] {
            let (run, _) = try await ask("search", "nothing", "-o", format) { request in
                request.target == "/v1/dictionaries"
                    ? try Fixture.answer(request, []) : .document(Array(empty.utf8))
            }
            #expect(run.status == .no)
            #expect(run.output == (format == "json" ? "[\(empty)]\n" : ""))
            #expect(run.errors == "glossctl: nothing: found nowhere in dictionary shop\n")
        }
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
