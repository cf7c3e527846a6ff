import Testing

@testable import Control

@Suite struct ParameterTextTests {
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
        ("{\"a\":\"x\\\"\u{301} y\"}", "\"x\\\"\u{301} y\""),
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
