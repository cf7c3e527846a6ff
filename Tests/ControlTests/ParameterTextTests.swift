import Model
import TestSupport
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
        (#"{"a":"日 本"}"#, #""日 本""#),
        ("{\"a\":\"日\u{3000}本\"}", "\"日\u{3000}本\""),
        ("{\"a\":\"日\u{202E}本\"}", #""日\u202e本""#),
        (#"{"a":"e5"}"#, "e5"),
        (#"{"a":".5"}"#, #"".5""#),
        (#"{"a":"a\u007f"}"#, #""a\u007f""#),
        (#"{"a":{"b":[1,"x"]}}"#, #"{"b":[1,"x"]}"#),
    ])
    func `a value is shown so that it can be taken for nothing else`(payload: String, shown: String) throws {
        let parameters = try #require(ParameterText.list(Array(payload.utf8)))
        #expect(parameters.map(\.value) == [shown])
    }

    @Test(arguments: [
        (
            "properties", #"{"id":1,"properties":{"a":2,"b":{}},"at":3}"#,
            ["id", "at", "properties.a", "properties.b"], 2
        ),
        ("data.data", #"{"data":{"schema":1,"data":{"a":2}},"id":3}"#, ["id", "data.schema", "data.data.a"], 1),
        ("data.data", #"{"data":{"schema":1},"id":3}"#, ["id", "data.schema"], 0),
        ("properties", #"{"id":1,"properties":"x"}"#, ["id", "properties"], 0),
    ])
    func `parameters in an object follow those beside it`(
        object: String, payload: String, places: [String], inObject: Int
    ) throws {
        let parameters = try #require(ParameterText.list(Array(payload.utf8), in: MemberPath(object)))
        #expect(parameters.map(\.place) == places)
        #expect(parameters.suffix(inObject).map(\.isInObject) == Array(repeating: true, count: inObject))
        #expect(parameters.count { $0.isInObject } == inObject)
        #expect(parameters.map(\.key) == places.map { $0.split(separator: ".").last.map { String($0) } })
    }

    @Test(arguments: [nil, "in"]) func `members are the same, whatever payloads came before`(object: String?) throws {
        var (random, known) = (SeededGenerator(seed: 4), KnownMembers())
        let keys = ["a", "b", "user_id", "in", "a\\u0062", "夕食", "x y", String(repeating: "k", count: 100), "a"]
        func payload(_ depth: Int) -> String {
            let most = Int.random(in: 0..<10, using: &random) == 0 ? 300 : 6
            let members = (0..<Int.random(in: 0...most, using: &random)).map { number in
                let key = number < 6 ? keys.randomElement(using: &random) ?? "" : "n\(number)"
                let isNested = depth == 0 && Int.random(in: 0..<3, using: &random) == 0
                return "\"\(key)\":\(isNested ? payload(1) : "\(number)")"
            }
            return "{\(members.joined(separator: ","))}"
        }
        func isIncluded(_ member: ParameterMember) -> Bool { member.place.utf8.count % 3 != 1 }
        let place = object.map { MemberPath($0) }
        var shown = 0
        for _ in 0..<500 {
            let payload = Array(payload(0).utf8)
            var unknown = KnownMembers()
            let alone = try #require(ParameterText.list(payload, in: place, &unknown, where: isIncluded))
            #expect(ParameterText.list(payload, in: place, &known, where: isIncluded) == alone)
            let all = try #require(ParameterText.list(payload, in: place))
            #expect(alone.map(\.place) == all.map(\.place).filter { $0.utf8.count % 3 != 1 })
            shown += alone.count
        }
        #expect(shown > 1000)
    }

    @Test func `a key is as little trusted as a value`() throws {
        let hidden = #"{"tap\u2060":"tap\u00ad","魚\u200d":"魚","a":"👩\u200d🍳","b":"a\u200d"}"#
        let shown = try #require(ParameterText.list(Array(hidden.utf8))).map { "\($0.name)=\($0.value)" }
        #expect(
            shown == [
                #""tap\u2060"="tap\u00ad""#, #""魚\u200d"=魚"#, "a=👩\u{200D}🍳", #"b="a\u200d""#,
            ])
        let parameters = try #require(ParameterText.list(Array(#"{"\u001b[2J x":1}"#.utf8)))
        #expect(parameters.map(\.name) == [#""\u001b[2J x""#])
        #expect(parameters.map(\.key) == ["\u{1B}[2J x"])
    }
}
