import Definitions
import JSON
import Model
import Resolve
import TestSupport
import Testing

struct RedactionTests {
    private let key = Array("the machine's secret, 32 bytes..".utf8)
    private let definitions = """
        # a

        ## event

        - email: !string 12
            - privacy: private
        - phone: !bigint?
            - privacy: private
        - user_id: !bigint
            - privacy: hash
        - plan: !string
            - privacy: public
        """

    private func resolver(
        mode: PrivacyMode = .protect, key: [UInt8]? = nil, _ definitions: String? = nil
    ) throws -> Resolver {
        let file = DefinitionFile(name: "a.md", bytes: Array((definitions ?? self.definitions).utf8))
        let dictionary = try DictionaryParser.parse(
            [file], options: DictionaryOptions(name: "shop", path: "definitions")
        ).dictionary
        return Resolver(
            dictionaries: [dictionary], protection: Protection(mode: mode, key: key ?? self.key))
    }

    /// The payload as it would be stored.
    private func stored(_ payload: String, _ resolver: inout Resolver) -> (text: String, outcome: Resolver.Outcome) {
        let bytes = Array(payload.utf8)
        let outcome = bytes.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
        return (String(decoding: outcome.payload ?? bytes, as: UTF8.self), outcome)
    }

    private func event(_ members: String, name: String = "event") -> String {
        #"{"event_category":"a","event_name":"\#(name)",\#(members)}"#
    }

    @Test func `private and hashed values are replaced, and nothing else`() throws {
        var resolver = try resolver()
        let (text, outcome) = stored(
            event(#""email":"a@b.example","phone":819012345678, "user_id": 42 ,"plan":"gold""#), &resolver)
        #expect(outcome.resolution == .resolved)
        let hash = try #require(text.firstMatch(of: #/<hash:[0-9a-f]{32}>/#))
        #expect(
            text
                == event(
                    #""email":"<private>","phone":"<private>", "user_id": "\#(hash.output)" ,"plan":"gold""#))
    }

    @Test(arguments: [
        (#""user":{"email":"a@b.example","n":1}"#, #""user":{"email":"<private>","n":1}"#),
        (
            #""users":[ {"email" : "a@b.example"}, {"plan":"x","e\u006dail":"c@b.example"} ]"#,
            #""users":[ {"email" : "<private>"}, {"plan":"x","e\u006dail":"<private>"} ]"#
        ),
        (#""a":[[{"b":{"phone":[1,{"email":"b.example"}]}}]]"#, #""a":[[{"b":{"phone":"<private>"}}]]"#),
        (#""a":{"email":{"b.example":1},"email":["b.example"]}"#, #""a":{"email":"<private>","email":"<private>"}"#),
        (#""a":{"b":"email","c":["email"],"plan":"email"}"#, #""a":{"b":"email","c":["email"],"plan":"email"}"#),
        (
            #""user.email":"x","email.0":2,"a":[{"a_longer.e\u006dail":"x"}],"a.emails":3,".":4"#,
            #""user.email":"<private>","email.0":"<private>","a":[{"a_longer.e\u006dail":"<private>"}],"a.emails":3,".":4"#
        ), (#""user_id.email":[1],"email.user_id":2"#, #""user_id.email":"<private>","email.user_id":"<private>""#),
        (#""a":{"email":null}"#, #""a":{"email":null}"#), (#""a":{"\"email\":":1}"#, #""a":{"\"email\":":1}"#),
        (
            #""a":{"email":"x"},"email":"x","b":[{"email":2}]"#,
            #""a":{"email":"<private>"},"email":"<private>","b":[{"email":"<private>"}]"#
        ),
    ])
    func `private names count at any depth, in objects and lists`(sent: String, expected: String) throws {
        var resolver = try resolver()
        for name in ["event", "typo"] {
            let (text, _) = stored(event(sent, name: name), &resolver)
            #expect(text == event(expected, name: name))
        }
        #expect(stored("{\(sent)}", &resolver).text == "{\(expected)}")
    }

    @Test func `a nested value is hashed by itself, an object or a list as it is written`() throws {
        var resolver = try resolver()
        let protection = Protection(mode: .protect, key: key)
        let (text, _) = stored(event(#""a":[{"user_id":42},{"user_id":"\u0034\u0032"},{"user_id":[4, 2]}]"#), &resolver)
        let (scalar, list) = (protection.hash(of: "42"), protection.hash(of: "[4, 2]"))
        #expect(text == event(#""a":[{"user_id":"\#(scalar)"},{"user_id":"\#(scalar)"},{"user_id":"\#(list)"}]"#))
    }

    @Test func `of what is nested too deep, or has too many members, nothing is kept behind a private name`() throws {
        var resolver = try resolver()
        let deep = String(repeating: "[", count: 200) + #"{"email":"b.example"}"# + String(repeating: "]", count: 200)
        let wide = #"{"email":"b.example","c":"# + String(repeating: #"{"":1},"#, count: 70_000) + "1}"
        for payload in [event(#""a":\#(deep)"#), event(#""a":[\#(wide)]"#)] {
            let (text, outcome) = stored(payload, &resolver)
            #expect(outcome.resolution == .malformed)
            #expect(!text.contains("b.example") && text.hasSuffix(#""email":"<private>""#))
        }
    }

    @Test func `reprocessing leaves what is hidden at depth, and hides what is newly private there`() throws {
        var resolver = try resolver("# a\n\n## event\n\n- a: Any\n- email: !string?\n    - privacy: hash\n")
        let (text, outcome) = stored(event(#""a":[{"email":"x"},{"token":"y"}]"#), &resolver)
        #expect(outcome.resolution == .resolved && text.contains("<hash:"))
        let again = resolver.reprocess(event(text, outcome))
        #expect(again.resolution == .resolved && again.payload == nil)
        let sent = resolver.redacted(event(text, outcome))
        #expect(sent == nil)
        var later = try self.resolver(
            "# a\n\n## event\n\n- a: Any\n- email: !string?\n    - privacy: private\n"
                + "- token: !string?\n    - privacy: private\n")
        let expected = Array(event(#""a":[{"email":"<private>"},{"token":"<private>"}]"#).utf8)
        #expect(later.reprocess(event(text, outcome)).payload == expected)
        #expect(later.redacted(event(text, outcome))?.payload == expected)
    }

    @Test func `which list it was is not known when something in it is hidden, so what was found out holds`() throws {
        func definitions(_ values: String) -> String {
            "# a\n\n## event\n\n- a: Any\n    - values: \(values)\n- email: !string?\n    - privacy: private\n"
        }
        for (value, isListed) in [(#"[{"email":1}]"#, true), (#"[{"email":2}]"#, false)] {
            var resolver = try resolver(definitions(#"`[{"email":1}]`"#))
            let (text, outcome) = stored(event(#""a":\#(value)"#), &resolver)
            #expect(outcome.resolution == (isListed ? .resolved : .violating))
            #expect(text == event(#""a":[{"email":"<private>"}]"#))
            #expect(!String(describing: outcome.findings).contains(#"\"email\":2"#))
            let again = resolver.reprocess(event(text, outcome))
            #expect(again.resolution == outcome.resolution && again.findings == outcome.findings)
        }
    }

    @Test func `a payload without private values is left alone`() throws {
        var resolver = try resolver()
        #expect(stored(event(#""plan":"gold""#), &resolver).outcome.payload == nil)
        #expect(stored(event(#""email":null,"plan":"gold""#), &resolver).outcome.payload == nil)
        #expect(stored("a@b.example wrote", &resolver).outcome.payload == nil)
    }

    @Test func `values that break their definition are checked first and replaced then`() throws {
        var resolver = try resolver()
        let (text, outcome) = stored(
            event(#""email":"much-too-long@b.example","user_id":"x","plan":"gold""#), &resolver)
        #expect(outcome.findings?.violations.map(\.rule) == [.length, .type])
        #expect(!text.contains("much-too-long"))
        let findings = String(describing: outcome.findings)
        #expect(!findings.contains("much"))
    }

    @Test(arguments: ["undefined", "unkeyed", "twice", "escaped", "nested value"])
    func `private names count whatever the event is`(_ what: String) throws {
        var resolver = try resolver()
        let payloads = [
            "undefined": event(#""email":"a@b.example""#, name: "typo"), "unkeyed": #"{"email":"a@b.example"}"#,
            "twice": event(#""email":"a@b.example","email":"c@b.example","user_id":1,"plan":"x""#),
            "escaped": event(#""em\u0061il":"a@b.example","user_id":1,"plan":"x""#),
            "nested value": event(#""email":{"address":["a@b.example"]},"user_id":1,"plan":"x""#),
        ]
        let (text, _) = stored(try #require(payloads[what]), &resolver)
        #expect(!text.contains("b.example"))
        #expect(text.contains("<private>"))
    }

    @Test(arguments: [
        #"{"email":"a@b.example","x":"#, #"{"email":"a@b.example"#, #"{"email" : "a "@b.example" b", "x":1,}"#,
        #"{"x":"un"balanced","email":"a@b.example","y":1}"#, #"{"email":a@b.example, "y":1}"#,
        #"{"email":["a@b.example", {"x":"b.example"}]"#, #"{"em\u0061il":"a@b.example" "y":1}"#,
        #"{"x":{"email":"a@b.example"},}"#, #"{"email":"a\"@b.example","y":}"#, #"{"email":"\\","email":"b.example",}"#,
        #"{"email":"He said "yes", then wrote a@b.example"}"#, #"{'email':'a@b.example'}"#, #"{email:"a@b.example"}"#,
        #"{"email"="a@b.example"}"#, #"{"email":A Person, a@b.example, "x":1}"#, #"{\"email\":\"a@b.example\"}"#,
        #"{"x":1,"email" "a@b.example"}"#, #"{"x":1,"email","a@b.example"}"#, #"{"x":1,"email";"a@b.example"}"#,
        #"{"x":1:"email" "a@b.example"}"#, #"{"x":"email" "a@b.example"}"#, #"{"x":1,"em\u0061il" "a@b.example"}"#,
        #"{"email"[0]:"a@b.example"}"#,
        #"{"x":["email","a@b.example"]"#, #"{'x':1,'email' 'a@b.example'}"#, #"{\"email\" \"a@b.example\"}"#,
        #"{"email.address":"a@b.example"#, #"{"user.email" "a@b.example"}"#, #"{"email.x-y.z","a@b.example"}"#,
        #"{\"a.email.address\":\"a@b.example\"}"#, #"{"n":01,"user.em\u0061il.0":"a@b.example"}"#,
        #"{"n":01,"email.home address":"a@b.example"}"#, #"{\"email.home address\":\"a@b.example\"}"#,
        #"{"n":01,"email.home: 1" "a@b.example"}"#, #"{'it"s.email.x':'a@b.example'}"#,
        "{\"email.\(String(repeating: "x", count: 600))-y\":\"a@b.example\",}",
        #"{"n":01,"em\u0061il.x email=a@b.example":"y"}"#,
        #"{:"email","a@b.example"}"#, "{\"email\"\u{A0}:\"a@b.example\"}", #"{"email"：:"a@b.example"}"#,
    ])
    func `of what does not parse nothing is kept behind a private name`(_ payload: String) throws {
        var resolver = try resolver()
        let (text, outcome) = stored(payload, &resolver)
        #expect(outcome.resolution == .malformed)
        #expect(!text.contains("b.example"), "\(text)")
        #expect(text.contains("<private>"))
        let again = resolver.reprocess(event(text, outcome))
        #expect(again.payload == nil)
    }

    @Test(arguments: [
        #"{"kind":"email","n":01}"#, #"{"kind" : "email" }, "n":1}"#, #"{"x":{"kind":"email"},}"#,
        #"{'kind': 'email', 'n': None}"#, #"{kind:"email", "n":1}"#, #"{"kind":"email""#, #"{"n":01,"x":"of email"}"#,
        #"{"n":01,"kind":"user.email"}"#, #"{"n":01,"x":"at email.example.com: y"}"#,
        #"{"n":01,"x":"it's at email.example.com, isn't it"}"#,
    ])
    func `a private name that is the value of a member hides nothing`(_ payload: String) throws {
        var resolver = try resolver()
        let outcome = stored(payload, &resolver).outcome
        #expect(outcome.resolution == .malformed && outcome.payload == nil)
    }

    @Test(arguments: [
        (#"of a line","email":"a@b.example"}"#, #"of a line","email":"<private>""#),
        (#""email.address":"bob"#, #""email.address":"<private>""#),
        (#""email.home address":"bob"#, #""email.home address":"<private>""#),
        (#""user.email.0" : 7, "x":1"#, #""user.email.0" : "<private>""#),
        (#"the "email.address" went out"#, #"the "email.address" went out"#),
        ("\u{FEFF}{\"email\":\"a@b.example\"}", "\u{FEFF}{\"email\":\"<private>\""),
        ("signed in: email=a@b.example ok", "signed in: email=\"<private>\""),
        // Coloured for a terminal.
        (
            "in \u{1B}[3memail\u{1B}[0m\u{1B}[2m=\u{1B}[0m\"a@b.example\"",
            "in \u{1B}[3memail\u{1B}[0m\u{1B}[2m=\u{1B}[0m\"<private>\""
        ),
        ("\u{1B}[1;36memail\u{1B}[0m: a@b.example n", "\u{1B}[1;36memail\u{1B}[0m: \"<private>\""),
        ("email\u{1B}(B\u{1B}[m=a@b.example", "email\u{1B}(B\u{1B}[m=\"<private>\""),
        ("x \u{1B}[\"email\":\"a@b.example\"", "x \u{1B}[\"email\":\"<private>\""),
        ("[{\"email\" \"a@b.example\"}]", "[{\"email\"<private>\""),
        ("in email\u{A0}: a@b.example", "in email\u{A0}: \"<private>\""),
        ("in email\u{3000} \u{200B}：a@b.example", "in email\u{3000} \u{200B}：\"<private>\""),
        ("in email＝a@b.example", "in email＝\"<private>\""),
        ("email[\(String(repeating: "a", count: 70))]=a@b.example", "email\"<private>\""),
        ("email[\(String(repeating: "a", count: 58)) email:a@b.example]", "email\"<private>\""),
        (
            "email[\(String(repeating: "a", count: 40)) email:x",
            "email[\(String(repeating: "a", count: 40)) email:\"<private>\""
        ),
        ("email\(String(repeating: "\\", count: 70))\":a@b.example", "email\"<private>\""),
        ("[info] the \"email\" went out", "[info] the \"email\" went out"),
        (
            "to email\(String(repeating: ".example", count: 10)): x",
            "to email\(String(repeating: ".example", count: 10)): x"
        ),
        ("the email went out", "the email went out"), ("an_email: x", "an_email: x"), ("email", "email"),
    ])
    func `a line that is no JSON may be a piece of one`(line: String, expected: String) throws {
        var resolver = try resolver()
        let (text, outcome) = stored(line, &resolver)
        #expect(outcome.resolution == .plain)
        #expect(text == expected)
        #expect(stored(expected, &resolver).outcome.payload == nil)
    }

    @Test func `a hash is the same for the same value and key, as number and as text, and for no other`() throws {
        var one = try resolver()
        func hash(_ value: String, _ resolver: inout Resolver) throws -> String {
            let text = stored(event(#""user_id":\#(value),"plan":"x""#), &resolver).text
            return String(try #require(text.firstMatch(of: #/<hash:([0-9a-f]{32})>/#)).output.1)
        }
        let hashed = try hash("42", &one)
        #expect(try hash(#""42""#, &one) == hashed)
        #expect(try hash(#""\u0034\u0032""#, &one) == hashed)
        #expect(try hash("43", &one) != hashed)
        var other = try resolver(key: Array("another machine's secret, 32 b..".utf8))
        #expect(try hash("42", &other) != hashed)
    }

    @Test func `a hash is the beginning of HMAC-SHA256`() throws {
        // RFC 4231, test case 2: key "Jefe".
        var resolver = try resolver(key: Array("Jefe".utf8))
        let text = stored(event(#""user_id":"what do ya want for nothing?","plan":"x""#), &resolver).text
        #expect(text.contains("<hash:5bdcc146bf60754e6a042426089575c7>"))
    }

    @Test func `reveal replaces nothing`() throws {
        var resolver = try resolver(mode: .reveal)
        #expect(stored(event(#""email":"a@b.example""#, name: "typo"), &resolver).outcome.payload == nil)
    }

    @Test func `a batch holds no range with a private value`() throws {
        var resolver = try resolver()
        let payloads = [event(#""email":"a@b.example""#), event(#""plan":"gold""#), event(#""phone":1"#)]
        var batch = EntryBatch()
        for (index, payload) in payloads.enumerated() {
            let start = batch.bytes.count
            batch.bytes += payload.utf8
            batch.entries.append(
                Entry(
                    origin: .sample(), level: .info, pid: nil, seqnum: UInt64(index), monotonicMicroseconds: 1,
                    realtimeMicroseconds: 1, entryHash: 1, payload: start..<batch.bytes.count))
        }
        let resolved = resolver.resolve(batch)
        let texts = resolved.events.map { String(decoding: resolved.bytes[$0.entry.payload], as: UTF8.self) }
        #expect(
            texts == [event(#""email":"<private>""#), event(#""plan":"gold""#), event(#""phone":"<private>""#)])
    }

    private func event(_ payload: String, _ outcome: Resolver.Outcome) -> Event {
        Event(
            id: 1, origin: .sample(), level: .info, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: outcome.resolution, kind: outcome.kind,
            findings: outcome.findings, payload: Array(payload.utf8))
    }

    @Test func `a stored event leaves the machine as its dictionary says now`() throws {
        var reveal = try resolver(mode: .reveal)
        var protect = try resolver()
        for payload in [
            event(#""email":"a@b.example","user_id":1,"plan":"x""#), #"{"email":"a@b.example"#, "email=a@b.example",
        ] {
            let (text, outcome) = stored(payload, &reveal)
            #expect(text == payload)
            let bytes = protect.redacted(event(text, outcome))?.payload
            let sent = String(decoding: try #require(bytes), as: UTF8.self)
            #expect(sent.contains("<private>") && !sent.contains("b.example"))
            let again = protect.redacted(event(sent, outcome))?.payload
            #expect(again == nil)
            let revealed = reveal.redacted(event(text, outcome))?.payload
            #expect(revealed == nil)
        }
    }

    @Test func `a private parameter that is declared later is no violation any more`() throws {
        let payload = event(#""user_id":1,"plan":"x","email":"<private>""#)
        let unknown = Violation("email", .unknownParameter(found: .string))
        var resolver = try resolver()
        var stored = event(payload, stored(payload, &resolver).outcome)
        (stored.resolution, stored.findings) = (.violating, Findings(violations: [unknown]))
        let again = resolver.reprocess(stored)
        #expect(again.resolution == .resolved)
    }

    @Test func `in what is stored a placeholder fits every type, though the parameter is public by now`() throws {
        let payload = event(#""email":"x","user_id":1,"plan":"<private>""#)
        let hidden = payload.replacing(#""user_id":1"#, with: #""user_id":"<private>""#)
        let file = DefinitionFile(
            name: "a.md", bytes: Array(definitions.replacing("    - privacy: hash\n", with: "").utf8))
        let dictionary = try DictionaryParser.parse(
            [file], options: DictionaryOptions(name: "shop", path: "definitions")
        ).dictionary
        var resolver = Resolver(dictionaries: [dictionary], protection: Protection(mode: .protect, key: key))
        let outcome = stored(hidden, &resolver).outcome
        #expect(outcome.resolution == .violating)
        var undefined = event(hidden, outcome)
        (undefined.resolution, undefined.findings) = (.undefined, nil)
        let again = resolver.reprocess(undefined)
        #expect(again.resolution == .resolved)
    }

    @Test func `reprocessing keeps what was found out about values that are gone`() throws {
        var resolver = try resolver()
        let (text, outcome) = stored(event(#""email":"much-too-long@b.example","user_id":1,"plan":"gold""#), &resolver)
        let event = event(text, outcome)
        let again = resolver.reprocess(event)
        #expect(again.resolution == .violating)
        #expect(again.findings == outcome.findings)
        #expect(again.payload == nil)
    }

    /// What a violation of a value that is gone says when the definition has changed.
    private func again(_ value: String, _ before: String, _ now: String) throws -> [Violation] {
        func text(_ parameter: String) -> String {
            let lines = parameter.replacing(" | ", with: "\n    - ")
            return "# a\n\n## event\n\n- it: \(lines)\n    - privacy: private\n"
        }
        var first = try resolver(text(before))
        let (stored, outcome) = stored(event("\"it\":\(value)"), &first)
        #expect(outcome.resolution == .violating && stored.contains("<private>"))
        var second = try resolver(text(now))
        let again = second.reprocess(event(stored, outcome))
        #expect(again.payload == nil)
        let violations = again.findings?.violations ?? []
        #expect(again.resolution == (violations.isEmpty ? .resolved : .violating))
        return violations
    }

    @Test(arguments: [
        (#""12345678""#, "!string 4", "!string 8"), (#""12345678""#, "!string 4", "!string"),
        ("7", "!string", "!bigint"),
        ("7", "!string", "!real"), ("7", "!string", "Any"), (#""x""#, "!date", "!string"),
        ("true", "!string", "!boolean"),
        ("40000", "!smallint", "!integer"), ("-40000", "!smallint", "!bigint"), ("1e50", "!real", "!double"),
        (#""2026-02-30""#, "!date", "!string"), (#""c""#, "!string | values: a, b", "!string"),
    ])
    func `what no longer breaks the current definition is no violation any more, though its value is gone`(
        value: String, before: String, now: String
    ) throws {
        #expect(try again(value, before, now).isEmpty)
    }

    @Test(arguments: [
        (#""12345678""#, "!string 4", "!string 7", "length: at most 7 bytes / 8 bytes"),
        (#""12345678""#, "!string 4", "!bigint", "type: bigint / string"),
        ("7", "!string", "!string 20", "type: string / integer"), ("7", "!string", "!date", "type: date / integer"),
        ("{}", "!string", "Any", "type: Any / object"), ("1.5", "!string", "!bigint", "type: bigint / real"),
        (#""x""#, "!date", "!timestamp", "type: timestamp / string"),
        ("3000000000", "!integer", "!smallint", "range: smallint, -32768 to 32767 / larger integer"),
        ("-3000000000", "!integer", "!smallint", "range: smallint, -32768 to 32767 / smaller integer"),
        ("1e400", "!double", "!real", "range: real / number beyond its range"),
        (#""2026-02-30""#, "!date", "!timestamp", "range: timestamp / day or time that does not exist"),
        (#""c""#, "!string | values: a, b", "!string | values: a, b, d", "value: one of a, b, d / string"),
    ])
    func `what breaks the current definition, or may break it, stays a violation`(
        value: String, before: String, now: String, expected: String
    ) throws {
        let violations = try again(value, before, now).map { "\($0.rule.rawValue): \($0.expected) / \($0.found)" }
        #expect(violations == [expected])
    }

    @Test(arguments: [
        // It was undefined when it came, and what it was is known.
        (#""plan":"x","user_id":42"#, [false, true], "integer"),
        (#""plan":"x","user_id":"a""#, [false, true], "string"),
        // It was right, or nobody looked at it, and what it was is not known.
        (#""plan":"x","user_id":42"#, [true, false, true], "replaced value"),
        (#""plan":7,"user_id":42"#, [true, false, true], "replaced value"),
    ])
    func `what a placeholder is says nothing about the value that it replaced`(
        members: String, defined: [Bool], found: String
    ) throws {
        func definitions(_ isDefined: Bool, _ more: Int) -> String {
            let user = "- user_id: !bigint\n    - privacy: hash\n"
            return "# a\n\n## event\n\n- plan: !string\n- more\(more): !bigint?\n\(isDefined ? user : "")\n"
                + "## other\n\n\(user)"
        }
        let isPlanWrong = members.contains("plan\":7")
        let isTextual = found == "string"
        var event: Event?
        for (number, isDefined) in defined.flatMap({ [$0, $0, $0] }).enumerated() {
            // Each time something unrelated changes as well.
            var resolver = try resolver(definitions(isDefined, number))
            let outcome: Resolver.Outcome
            if let event {
                outcome = resolver.reprocess(event)
                #expect(outcome.payload == nil)
            } else {
                let first = stored(self.event(members), &resolver)
                (outcome, event) = (first.outcome, self.event(first.text, first.outcome))
            }
            event?.resolution = outcome.resolution
            event?.findings = outcome.findings
            let violations = (outcome.findings?.violations ?? []).filter { $0.parameter == "user_id" }
            let wanted =
                !isDefined ? ["unknown-parameter \(found)"] : isTextual ? ["type \(found)"] : []
            #expect(violations.map { "\($0.rule.rawValue) \($0.found)" } == wanted, "\(number)")
            #expect(outcome.resolution == (violations.isEmpty && !isPlanWrong ? .resolved : .violating))
        }
    }

    @Test func `a violation is kept where there is no definition to hold it against`() throws {
        var first = try resolver()
        let (text, outcome) = stored(event(#""email":7,"user_id":1,"plan":"gold""#), &first)
        #expect(outcome.resolution == .violating)
        let stored = event(text, outcome)
        for definitions in [definitions.replacing("## event", with: "## other"), "# a\n\nNothing yet.\n"] {
            var second = try resolver(definitions)
            let again = second.reprocess(stored)
            #expect(again.resolution == .violating)
            #expect(again.kind == outcome.kind)
            #expect(again.findings == outcome.findings)
        }
    }

    @Test(arguments: [
        "<hash:SECRET26SECRET26SECRET26SECRET26>", "<hash:00112233445566778899aabbccddeeff>", "<private>",
    ])
    func `what a sender writes is a value, whatever it looks like`(_ value: String) throws {
        var resolver = try resolver()
        let (text, outcome) = stored(event("\"email\":\"\(value)\",\"user_id\":\"\(value)\",\"plan\":\"x\""), &resolver)
        #expect(outcome.payload != nil)
        #expect(text.contains(#""email":"<private>""#))
        #expect(!text.contains(#""user_id":"\#(value)""#) && text.contains(#""user_id":"<hash:"#))
        #expect(outcome.findings?.violations.isEmpty == false, "it is checked like any other")
    }

    @Test func `only what we write counts as replaced in what is stored`() throws {
        var resolver = try resolver()
        let forged = event(#""user_id":"<hash:SECRET26SECRET26SECRET26SECRET26>""#)
        var reveal = try self.resolver(mode: .reveal)
        let outcome = stored(forged, &reveal).outcome
        let sent = resolver.redacted(event(forged, outcome))?.payload
        #expect(String(decoding: try #require(sent), as: UTF8.self).contains("SECRET") == false)
    }

    @Test func `a line that continues one that was split is hidden as a whole where anything is private`() throws {
        let rest = #"SECRET@example.com","plan":"x"}"#
        var protecting = try resolver()
        var other = try resolver("# a\n\n## event\n\n- plan: !string\n")
        for text in [rest, #"{"event_category":"a","event_name":"event","user_id":1,"plan":"x"}"#] {
            let bytes = Array(text.utf8)
            let outcome = bytes.withUnsafeBytes { protecting.resolve($0, from: .sample(), flaws: .continued) }
            #expect(outcome.resolution == .plain)
            #expect(outcome.payload.map { String(decoding: $0, as: UTF8.self) } == "<private>")
            #expect(outcome.findings?.warnings.map(\.rule) == [.cut])
            let flaws: Entry.Flaws = [.continued, .otherField, .senderCut]
            let flawed = bytes.withUnsafeBytes { protecting.resolve($0, from: .sample(), flaws: flaws) }
            #expect(flawed.findings?.warnings == [.cut, .payloadField, .senderCut])
            let shown = bytes.withUnsafeBytes { other.resolve($0, from: .sample(), flaws: .continued) }
            #expect(shown.payload == nil)
            #expect(shown.findings?.warnings.map(\.rule) == [.cut])
        }
    }
}
