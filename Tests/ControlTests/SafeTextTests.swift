import Testing

@testable import Control

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("豚の角煮 🍲", "豚の角煮 🍲"), ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ("\u{1B}[31mred", #"\u001b[31mred"#), ("\u{1B}]0;title\u{7}", #"\u001b]0;title\u0007"#),
        ("a\nb\tc\r", #"a\nb\tc\r"#), ("\u{0}", #"\u0000"#), ("\u{7F}", #"\u007f"#),
        ("\u{9B}2J", #"\u009b2J"#), ("\u{202E}gnp.exe", #"\u202egnp.exe"#), ("a\u{2028}b", #"a\u2028b"#),
        ("e\u{301}\u{1B}", "e\u{301}" + #"\u001b"#), ("\r\n", #"\r\n"#),
    ])
    func `what could work on a terminal is written as an escape`(text: String, shown: String) {
        #expect(SafeText.neutralised(text) == shown)
    }

    @Test func `every control character is neutralised`() {
        for value in (0...0x1F).map(UInt32.init) + Array(0x7F...0x9F) {
            let text = String(Character(Unicode.Scalar(value)!))
            #expect(!SafeText.neutralised(text).unicodeScalars.contains { $0.value == value })
        }
    }

    @Test func `text of several lines keeps its lines and nothing else`() {
        #expect(SafeText.neutralisedLines("a\n\tb\u{1B}\n") == "a\n    b\\u001b\n")
    }

    @Test(arguments: [
        (#"{"a":1234567890123456789}"#, "1234567890123456789"),
        (#"{"a":1.50e+2}"#, "1.50e+2"),
        (#"{"a":-0.0}"#, "-0.0"),
        (#"{"a":100000000000000000000000000000000}"#, "100000000000000000000000000000000"),
        (#"{"a":"word"}"#, "word"),
        (#"{"a":"123456"}"#, #""123456""#),
        (#"{"a":"-1.5e3"}"#, #""-1.5e3""#),
        (#"{"a":"2026-11-21"}"#, #""2026-11-21""#),
        (#"{"a":"3f2b-aa"}"#, "3f2b-aa"),
        (#"{"a":"/recipes/1"}"#, "/recipes/1"),
        (#"{"a":"two words"}"#, #""two words""#),
        (#"{"a":""}"#, #""""#),
        (#"{"a":"true"}"#, #""true""#),
        (#"{"a":true}"#, "true"),
        (#"{"a":null}"#, "null"),
        (#"{"a":"null"}"#, #""null""#),
        (#"{"a":"x=1"}"#, #""x=1""#),
        (#"{"a":"say \"hi\" \\ \n"}"#, #""say \"hi\" \\ \n""#),
        (#"{"a":"\u001b[31m"}"#, #""\u001b[31m""#),
        (#"{"a":"日本"}"#, "日本"),
        (#"{"a":{"b":[1,"x"]}}"#, #"{"b":[1,"x"]}"#),
    ])
    func `a value is shown so that it can be taken for nothing else`(payload: String, shown: String) throws {
        let parameters = try #require(ParameterText.list(Array(payload.utf8)))
        #expect(parameters.map(\.value) == [shown])
    }

    @Test func `a key is as little trusted as a value`() throws {
        let parameters = try #require(ParameterText.list(Array(#"{"\u001b[2J x":1}"#.utf8)))
        #expect(parameters.map(\.name) == [#""\u001b[2J x""#])
        #expect(parameters.map(\.key) == ["\u{1B}[2J x"])
    }
}
