import Definitions
import Model
import Resolve
import TestSupport
import Testing

/// Payloads as no sender should write them: each becomes an event, and none changes or crashes anything.
struct FaultTests {
    private func resolve(_ payload: [UInt8]) -> Resolver.Outcome {
        var resolver = Resolver(dictionaries: [], protection: .reveal)
        return payload.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
    }

    private func keyed(_ member: [UInt8]) -> [UInt8] {
        Array(#"{"event_category":"a","event_name":"event","x":"#.utf8) + member + [UInt8(ascii: "}")]
    }

    @Test func `a payload may have any size`() {
        let text = [0x22] + [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 20) + [0x22]
        #expect(resolve(keyed(text)).resolution == .undefined)
    }

    @Test func `NUL bytes are malformed within a payload and plain before it`() {
        #expect(resolve(keyed([0x22, 0, 0x22])).findings?.reason == "byte 48: a control character within a string")
        #expect(resolve(keyed([0])).resolution == .malformed)
        #expect(resolve([0] + keyed([0x31])).resolution == .plain)
    }

    @Test func `line breaks belong between tokens, not into strings`() {
        #expect(
            resolve(Array("{\n\"event_category\":\r\n\"a\",\"event_name\":\"event\"\n}\n".utf8)).resolution
                == .undefined)
        #expect(resolve(keyed([0x22, 0x0A, 0x22])).resolution == .malformed)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xE3, 0x81], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
            [0xF0, 0x9F, 0x98],
        ] as [[UInt8]])
    func `invalid UTF-8 in a string is malformed`(_ bytes: [UInt8]) {
        #expect(resolve(keyed([0x22] + bytes + [0x22])).findings?.reason == "byte 48: invalid UTF-8")
    }

    @Test func `invalid UTF-8 in a line that is no JSON is plain`() {
        #expect(resolve([0x41, 0xFF, 0xFE]).resolution == .plain)
    }

    @Test func `1024 members are checked like a few`() {
        let members = (0..<1022).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        let outcome = resolve(Array(#"{"event_category":"a","event_name":"event",\#(members)}"#.utf8))
        #expect(outcome.resolution == .undefined && outcome.findings == nil)
    }

    @Test func `a payload has at most 65,536 members, nested ones included`() {
        func payload(_ count: Int) -> [UInt8] {
            keyed(Array(("[" + [String](repeating: #"{"":1}"#, count: count).joined(separator: ",") + "]").utf8))
        }
        #expect(resolve(payload(65_533)).resolution == .undefined)
        let outcome = resolve(payload(65_534))
        #expect(outcome.resolution == .malformed)
        #expect(outcome.findings?.reason == "byte 458782: more than 65536 members")
    }

    @Test(.timeLimit(.minutes(1)), arguments: [#"{\""#, #"{"\"#, "{\"\"", "{'`", #"{"a\":"#])
    func `200,000 quotes are searched for names in one go`(_ mark: String) throws {
        let definitions = "# a\n\n## event\n\n- email: !string\n    - privacy: private\n"
        let dictionary = try DictionaryParser.parse(
            [DefinitionFile(name: "a.md", bytes: Array(definitions.utf8))],
            options: DictionaryOptions(name: "shop", path: "definitions")
        ).dictionary
        var resolver = Resolver(dictionaries: [dictionary], protection: Protection(mode: .protect, key: [1]))
        let payload = Array((String(mark.prefix(1)) + String(repeating: String(mark.dropFirst()), count: 100_000)).utf8)
        let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
        #expect(outcome.resolution == .malformed && outcome.payload == nil)
    }

    @Test func `arrays nested 100,000 deep are malformed, 127 within the payload are not`() {
        func nested(_ depth: Int) -> [UInt8] {
            keyed(
                [UInt8](repeating: UInt8(ascii: "["), count: depth)
                    + [UInt8](repeating: UInt8(ascii: "]"), count: depth))
        }
        #expect(resolve(nested(100_000)).findings?.reason == "byte 174: nested deeper than 128")
        #expect(resolve(nested(128)).resolution == .malformed)
        #expect(resolve(nested(127)).resolution == .undefined)
    }

    @Test func `every cut of a payload is malformed or plain`() {
        let whole = keyed(Array(#"[1,{"y":"\u3042é"},-1.5e3,true,null]"#.utf8))
        for length in 0..<whole.count {
            #expect(resolve(Array(whole[..<length])).resolution == (length == 0 ? .plain : .malformed))
        }
        #expect(resolve(whole).resolution == .undefined)
    }

    @Test(arguments: [
        "294276-12-31T00:00:00Z", "294276-12-31", "294247-01-10T04:00:54.775807Z", "294276-12-31 BC", "10000-01-01",
    ])
    func `a time that no clock has is none`(time: String) {
        var layout = PayloadLayout.usual
        layout.time = MemberPath("at")
        let dictionary = EventDictionary(
            options: DictionaryOptions(name: "shop", path: "", layout: layout), version: "1", common: [],
            categories: [])
        var resolver = Resolver(dictionaries: [dictionary], protection: .reveal)
        let payload = keyed(Array("1,\"at\":\"\(time)\"".utf8))
        let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
        #expect(outcome.resolution == .undefined && outcome.program.timeMicroseconds == nil)
    }

    /// The time would double with each level if each was checked twice.
    @Test(.timeLimit(.minutes(1))) func `objects that lack something at each of 32 levels are checked in a moment`()
        throws
    {
        let types = (1...31).map { "## T\($0)\n\n- lacking: !string\n- c: \($0 == 31 ? "!string" : "T\($0 + 1)")\n" }
        let dictionary = try DictionaryParser.parse(
            [
                DefinitionFile(name: "a.md", bytes: Array("# a\n\nA.\n\n## event\n\nE.\n\n- x: T1\n".utf8)),
                DefinitionFile(name: "types/t.md", bytes: Array(types.joined(separator: "\n").utf8)),
            ], options: DictionaryOptions(name: "shop", path: "")
        ).dictionary
        var resolver = Resolver(dictionaries: [dictionary], protection: .reveal)
        var value = #"{"c":"","more":1}"#
        for _ in 1...30 { value = "{\"c\":\(value),\"more\":1}" }
        let payload = keyed(Array(value.utf8))
        let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
        let violations = try #require(outcome.findings?.violations)
        #expect(outcome.resolution == .violating && violations.count == 62)
        let deepest = "x" + String(repeating: ".c", count: 30)
        #expect(violations.contains { $0.parameter == deepest + ".lacking" && $0.rule == .missing })
    }

}
