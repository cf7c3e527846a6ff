import Definitions
import Foundation
import JSON
import Model
import Resolve
import TestSupport
import Testing

/// Payloads that are taken from text, and the program's own level and time.
struct TextPayloadTests {
    static let definitions = """
        # a

        - level: !string?

        ## event

        - n: !integer?
        - ratio: !double?
        - ok: !boolean?
        - text: !string?
        - day: !date?
        - state: !string?
            - values: paid, pending
        - kind: Kind?
            - values: paid, pending
        - other: Other?
        - zip: !string?
        - email: !string?
            - privacy: private
        - user_id: !bigint?
            - privacy: hash
        """

    static func resolver(
        _ format: PayloadFormat, _ definitions: String = definitions, types: String = "", level: String? = nil,
        time: String? = nil, mode: PrivacyMode = .protect
    ) throws -> Resolver {
        var options = DictionaryOptions(name: "shop", path: "definitions")
        options.layoutOfSource = [
            "program": PayloadLayout(
                category: .fixed("a"), name: .fixed("event"), format: format, level: level.map { MemberPath($0) },
                time: time.map { MemberPath($0) })
        ]
        let files = [("a.md", definitions), ("types/types.md", types)].map {
            DefinitionFile(name: $0, bytes: Array($1.utf8))
        }
        let dictionary = try DictionaryParser.parse(files, options: options).dictionary
        return Resolver(dictionaries: [dictionary], protection: Protection(mode: mode, key: Array("secret".utf8)))
    }

    static let origin = Origin.sample(source: "program")

    func resolve(
        _ text: String, _ resolver: inout Resolver, flaws: Entry.Flaws = .none
    ) -> Resolver.Outcome {
        Array(text.utf8).withUnsafeBytes { resolver.resolve($0, from: Self.origin, flaws: flaws) }
    }

    func event(_ text: String, _ outcome: Resolver.Outcome) -> Event {
        Event(
            id: 1, origin: Self.origin, level: .info, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: outcome.resolution, kind: outcome.kind,
            findings: outcome.findings, payload: outcome.payload ?? Array(text.utf8), text: outcome.text,
            program: outcome.program)
    }

    func string(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test(arguments: [
        (#"INFO 2026-11-21 {"n":1,"text":"{x}"} done"#, #"{"n":1,"text":"{x}"}"#),
        (#"{thread-1} [main] {"n":{"text":["}"]}}{"n":2}"#, #"{"n":{"text":["}"]}}"#),
        (#"{"n":1}"#, #"{"n":1}"#), (#"夕食 { "n" : 1 }"#, #"{ "n" : 1 }"#),
        (#"a {"b" {"n":1}"#, #"{"n":1}"#), ("no {object} here {}", nil), ("", nil),
    ])
    func `a JSON object is found in text`(text: String, payload: String?) throws {
        var resolver = try Self.resolver(.jsonInText)
        let outcome = resolve(text, &resolver)
        #expect(string(outcome.payload) == payload)
        #expect(outcome.resolution.hasPayload == (payload != nil))
        #expect(string(event(text, outcome).message) == text)
        #expect(payload != nil || outcome.resolution == .plain)
    }

    @Test(arguments: [
        (
            #"level=info text="hello \"world\"\n" n=1 fast"#,
            #"{"level":"info","text":"hello \"world\"\n","n":1,"fast":true}"#
        ),
        (
            "n=7 ratio=0.5 ok=true day=2026-11-21 zip=01234",
            #"{"n":7,"ratio":0.5,"ok":true,"day":"2026-11-21","zip":"01234"}"#
        ),
        ("n=007 ok=yes ratio=1e3", #"{"n":"007","ok":"yes","ratio":1e3}"#),
        ("n= text= ok=\"\"", #"{"n":null,"text":"","ok":null}"#),
        ("day= kind= other= state=", #"{"day":null,"kind":null,"other":"","state":""}"#),
        ("text=a=b n=-1\n", #"{"text":"a=b","n":-1}"#), (#"text="\u5915\x41\q" n="2""#, #"{"text":"夕A\\q","n":2}"#),
        (#"text="\ud83d\ude00\ud83d \ude00\U0001F600""#, #"{"text":"😀\#u{FFFD} \#u{FFFD}😀"}"#),
        (#"text="\a\b\f\v\x+f\xc3\xa9""#, #"{"text":"\u0007\b\f\u000b\\x+fé"}"#),
        ("  n=1\t text=夕食  ", #"{"n":1,"text":"夕食"}"#),
        (#"{"n":1}"#, #"{"n":1}"#), ("started n=1", nil), ("=1", nil), ("plain words", nil), ("", nil),
    ])
    func `logfmt is pairs, whose values have the types of the definition`(text: String, payload: String?) throws {
        try expectPayload(payload, of: text, .logfmt)
    }

    @Test(arguments: [
        (
            "connect from 10.0.0.1: text=ESMTP, n=3; zip=<a@b.example> (ok=true)",
            #"{"text":"ESMTP","n":3,"zip":"a@b.example","ok":true}"#
        ),
        ("[UFW BLOCK] IN=eth0 OUT= SRC=10.0.0.1", #"{"IN":"eth0","OUT":"","SRC":"10.0.0.1"}"#),
        (#"ex[32473 text="a, \"b\" \]" n="1"]"#, #"{"text":"a, \"b\" ]","n":1}"#),
        (
            "relay=mx.example[10.0.0.1]:25, text=sent (250 2.0.0 Ok)",
            #"{"relay":"mx.example[10.0.0.1]:25","text":"sent"}"#
        ),
        (#"text="never closed n=1"#, #"{"text":"\"never","n":1}"#), ("x-1.2=a 9=b é=c", #"{"x-1.2":"a"}"#),
        ("text=a==b n=1", #"{"text":"a==b","n":1}"#), ("no pairs a = b", nil), ("http://a.example/?n=1", nil),
    ])
    func `pairs are found in text`(text: String, payload: String?) throws {
        try expectPayload(payload, of: text, .syslogKV)
    }

    /// - Parameter payload: `nil` if there is none.
    private func expectPayload(_ payload: String?, of text: String, _ format: PayloadFormat) throws {
        var resolver = try Self.resolver(format)
        let outcome = resolve(text, &resolver)
        #expect(string(event(text, outcome).payload) == payload ?? text)
        #expect(outcome.resolution.hasPayload == (payload != nil))
        #expect(string(event(text, outcome).message) == text)
    }

    @Test(arguments: [
        (PayloadFormat.jsonInText, #"INFO {"n":1,"#, Entry.Flaws.none, "byte 12: ends too early"),
        (.logfmt, #"n=1 text="never closed"#, .none, "byte 9: the quote is not closed"),
        (.logfmt, "n=1 text=a", .cut, "cut at 10 bytes, the limit for one field"),
        (.logfmt, #"{"n":"#, .none, "byte 5: ends too early"), (.logfmt, "n=1 =x", .none, "byte 4: expected a name"),
        (.logfmt, #"n="1"x"#, .none, "byte 4: expected a space after the quote"),
        (.syslogKV, "x: n=1", .cut, "cut at 6 bytes, the limit for one field"),
    ])
    func `what cannot be read is malformed, and kept as it came`(
        format: PayloadFormat, text: String, flaws: Entry.Flaws, reason: String
    ) throws {
        var resolver = try Self.resolver(format)
        let outcome = resolve(text, &resolver, flaws: flaws)
        #expect(outcome.resolution == .malformed && outcome.findings?.reason == reason)
        #expect(outcome.payload == nil && outcome.text == nil)
    }

    @Test func `an object that is whole resolves although its text was cut`() throws {
        var resolver = try Self.resolver(.jsonInText)
        let outcome = resolve(#"a {"n":1} the rest is miss"#, &resolver, flaws: .cut)
        #expect(outcome.resolution == .resolved && outcome.findings?.warnings == [.cut])
    }

    @Test func `many braces and quotes take no quadratic time, and are bounded`() throws {
        let texts = [
            String(repeating: #"{""#, count: 50_000), String(repeating: "a=<", count: 50_000),
            String(repeating: #"a=" "#, count: 50_000), String(repeating: "a=b,", count: 50_000),
        ]
        for format in PayloadFormat.allCases {
            var resolver = try Self.resolver(format)
            for text in texts { #expect(string(event(text, resolve(text, &resolver)).message) == text) }
        }
    }

    @Test func `a changed format applies to stored text`() throws {
        var json = try Self.resolver(.json)
        let text = "n=1 text=x"
        let first = resolve(text, &json)
        #expect(first.resolution == .plain)
        var logfmt = try Self.resolver(.logfmt)
        let second = logfmt.reprocess(event(text, first))
        #expect(second.resolution == .resolved && string(second.payload) == #"{"n":1,"text":"x"}"#)
        #expect(second.text == MessageText(Array(text.utf8)))
        let third = json.reprocess(event(text, second))
        #expect(third.resolution == .plain && string(third.payload) == text && third.text == nil)
    }

    @Test func `what only the wrong format made malformed is read again`() throws {
        var logfmt = try Self.resolver(.logfmt)
        let text = #"n=1 text={"a b":1} ok=true"#
        let first = resolve(text, &logfmt)
        #expect(first.resolution == .malformed)
        for format in [PayloadFormat.syslogKV, .jsonInText, .json] {
            var now = try Self.resolver(format)
            let fresh = resolve(text, &now)
            #expect(fresh.resolution != .malformed)
            #expect(now.reprocess(event(text, first)) == fresh, "\(format)")
        }
        #expect(logfmt.reprocess(event(text, first)) == first)
    }

    @Test func `what is left of a malformed event is not read again`() throws {
        let text = #"n=1 text="x"#
        for (text, flaws) in [(text, Entry.Flaws.cut), (text, .split), (text, .damaged), (text + " email=a", .none)] {
            var logfmt = try Self.resolver(.logfmt)
            let first = resolve(text, &logfmt, flaws: flaws)
            #expect(first.resolution == .malformed)
            for format in [PayloadFormat.syslogKV, .json] {
                var now = try Self.resolver(format)
                let again = now.reprocess(event(text, first))
                #expect(again.resolution == .malformed && again.findings == first.findings, "\(text) \(flaws)")
            }
        }
    }

    @Test func `the values of pairs get the types of a changed definition`() throws {
        var before = try Self.resolver(.logfmt, "# a\n\n## event\n\n- n: !string\n")
        let first = resolve("n=1", &before)
        #expect(string(first.payload) == #"{"n":"1"}"#)
        var now = try Self.resolver(.logfmt)
        #expect(string(now.reprocess(event("n=1", first)).payload) == #"{"n":1}"#)
    }

    // MARK: level and time

    @Test(arguments: [
        (#""INFO""#, Level.info), (#""warn""#, .warning), (#""Fatal""#, .crit), (#""E""#, .err), (#""trace""#, .debug),
        ("3", .err), (#""7""#, .debug), ("30", nil), (#""loud""#, nil), ("{}", nil), ("true", nil),
    ])
    func `the program's level is taken, in its usual spellings`(value: String, level: Level?) throws {
        var resolver = try Self.resolver(.json, level: "severity")
        let outcome = resolve(#"{"severity":\#(value)}"#, &resolver)
        #expect(outcome.program == ProgramFacts(level: level))
        #expect(outcome.findings?.warnings ?? [] == (level == nil ? [.programLevel] : []))
        #expect(outcome.resolution == .resolved, "it needs no definition")
    }

    @Test(arguments: [
        ("1795255200", 1_795_255_200_000_000), ("1795255200.5", 1_795_255_200_500_000),
        ("1795255200123", 1_795_255_200_123_000), ("1795255200123456", 1_795_255_200_123_456),
        ("1795255200123456789", 1_795_255_200_123_456), (#""1795255200.123456789""#, 1_795_255_200_123_456),
        (#""2026-11-21T10:00:00Z""#, 1_795_255_200_000_000), (#""2026-11-21T19:00:00.5+09:00""#, 1_795_255_200_500_000),
        (#""2026-11-21 05:30:00,123-0430""#, 1_795_255_200_123_000), (#""20261121T100000Z""#, 1_795_255_200_000_000),
        ("1e9", 1_000_000_000_000_000), ("1.7952552e9", 1_795_255_200_000_000),
        ("1.7952552E+09", 1_795_255_200_000_000),
        ("1.7952552001234567e9", 1_795_255_200_123_456), ("1.795255200123456e15", 1_795_255_200_123_456),
        ("1.795255200123e12", 1_795_255_200_123_000), ("1795255200123456789e-9", 1_795_255_200_123_456),
        ("0.0017952552e12", 1_795_255_200_000_000), ("25e-3", 25_000), ("0e400", 0), ("1e-400", 0), ("1e400", nil),
        ("1e30", nil), ("1e99999999999999999999", nil), (#""1e""#, nil), (#""1e1.5""#, nil), (#""e9""#, nil),
        (#""001764500000""#, 1_764_500_000_000_000), (#""001764500000e0""#, 1_764_500_000_000_000),
        (#""000.5""#, 500_000), (#""0000000000000000000000""#, 0), (#""20261121""#, 20_261_121_000_000),
        ("0", 0), ("-1", nil), (#""21/Nov/2026:10:00:00 +0000""#, nil), (#""2026-02-30T10:00:00Z""#, nil),
        ("999999999999999999999", nil), ("[]", nil),
    ])
    func `the program's time is taken, as a number or in ISO 8601`(value: String, time: UInt64?) throws {
        var resolver = try Self.resolver(.json, time: "log.ts")
        let outcome = resolve(#"{"log":{"ts":\#(value)}}"#, &resolver)
        #expect(outcome.program == ProgramFacts(timeMicroseconds: time))
        #expect(outcome.findings?.warnings ?? [] == (time == nil ? [.programTime] : []))
    }

    /// Two of these are days on which clocks change.
    @Test(arguments: [("11-21", 1_795_251_600), ("03-29", 1_774_771_200), ("10-25", 1_792_918_800)])
    func `a time without an offset is local`(day: String, seconds: UInt64) throws {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        var resolver = try Self.resolver(.logfmt, time: "ts")
        let outcome = resolve(#"ts="2026-\#(day) 10:00:00,250""#, &resolver)
        #expect(outcome.program.timeMicroseconds == seconds * 1_000_000 + 250_000)
    }

    @Test(arguments: [#"{"n":1}"#, #"{"severity":null,"ts":""}"#, "text"])
    func `events without level and time have those of the journal only`(text: String) throws {
        var resolver = try Self.resolver(.json, level: "severity", time: "ts")
        let outcome = resolve(text, &resolver)
        #expect(outcome.program == .none && outcome.findings?.warnings ?? [] == [])
    }

    @Test func `a private value is not taken for a level or time`() throws {
        let definitions = "# a\n\n## event\n\n- ts: !bigint\n    - privacy: private\n- severity: !string\n"
        var resolver = try Self.resolver(.json, definitions, level: "severity", time: "ts")
        let outcome = resolve(#"{"ts":1795255200,"severity":"info"}"#, &resolver)
        #expect(outcome.program == ProgramFacts(level: .info))
        #expect(string(outcome.payload) == #"{"ts":"<private>","severity":"info"}"#)
        #expect(outcome.resolution == .resolved)
    }
}
