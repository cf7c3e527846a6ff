import Foundation
import Model
import Resolve
import TestSupport
import Testing

/// Private values in texts with payloads.
extension TextPayloadTests {
    @Test(arguments: [
        (
            PayloadFormat.logfmt, #"email="a@b.example" n=1 user_id=7"#,
            #"email="<private>" n=1 user_id="<hash>""#, #"{"email":"<private>","n":1,"user_id":"<hash>"}"#
        ),
        (
            .syslogKV, "mail of a@b.example: email=<a@b.example>, n=1, a@b.example; phone 77",
            #"email="<private>" n=1"#, #"{"email":"<private>","n":1}"#
        ),
        (
            .jsonInText, #"user 4711 {"user_id":4711,"text":"x"} of 4711, not 99"#,
            #"user <private> {"user_id":"<hash>","text":"x"} of <private>, not 99"#, #"{"user_id":"<hash>","text":"x"}"#
        ),
        (
            .jsonInText, #"7 and 77 {"user_id":7} a7b"#, #"<private> and 77 {"user_id":"<hash>"} a7b"#,
            #"{"user_id":"<hash>"}"#
        ),
        (
            .jsonInText, #"an email {"n":1} email=c@d.example"#, #"an email {"n":1} email="<private>""#, #"{"n":1}"#
        ),
        (
            .jsonInText, #"x {"email":{"a":["夕食","bb"]}} 夕食 bb b"#, #"x {"email":"<private>"} <private> <private> b"#,
            #"{"email":"<private>"}"#
        ),
        (
            .logfmt, #"n=1 email="Hanako Yamada" sent to Hanako Yamada fast"#, #"n=1 email="<private>""#,
            #"{"n":1,"email":"<private>"}"#
        ),
        (.jsonInText, #"a email={"n":1"#, "<private>", "<private>"),
        (.logfmt, "hello email=x", #"hello email="<private>""#, #"hello email="<private>""#),
    ])
    func `private values are replaced in the payload and in the text around it`(
        format: PayloadFormat, text: String, message: String, payload: String
    ) throws {
        var resolver = try Self.resolver(format)
        func plain(_ text: String?) -> String? { text?.replacing(#/<hash:[0-9a-f]{32}>/#, with: "<hash>") }
        let first = resolve(text, &resolver)
        let stored = event(text, first)
        #expect(plain(string(stored.message)) == message)
        #expect(plain(string(stored.payload)) == payload)
        // What is stored needs no more redaction, and resolves to the same.
        #expect(resolver.redacted(stored) == nil)
        let again = resolver.reprocess(stored)
        // What was malformed stays so, whatever is left of it.
        let isMalformed = first.resolution == .malformed
        #expect(isMalformed || again.resolution == first.resolution && again.findings == first.findings)
        #expect(again.payload ?? stored.payload == stored.payload && again.text == stored.text)

        // The same values, stored while they were revealed, do not leave the machine.
        var reveal = try Self.resolver(format, mode: .reveal)
        let revealed = event(text, resolve(text, &reveal))
        #expect(string(revealed.message) == text)
        let sent = resolver.redacted(revealed)
        #expect(plain(string(sent?.message)) == message)
        let later = resolver.reprocess(revealed)
        #expect(plain(string(event("", later).message)) == message)
    }

    @Test(.timeLimit(.minutes(1))) func `long and many private values take no quadratic time`() throws {
        var resolver = try Self.resolver(.jsonInText)
        let long = String(repeating: "a", count: 100_000)
        let text = #"\#(long)\#(long)\#(long) {"email":"\#(long)b"}"#
        #expect(string(event(text, resolve(text, &resolver)).message)?.hasPrefix("aaa") == true)
        let many = (0..<20_000).map { "\"v\($0)x\"" }.joined(separator: ",")
        let words = (0..<20_000).map { "w\($0)" }.joined(separator: " ")
        let first = resolve(#"\#(words) v7x {"email":[\#(many)]} !"#, &resolver)
        #expect(string(event("", first).message) == #"<private>{"email":"<private>"} !"#)
        let names = String(repeating: "email:x ", count: 100_000)
        let third = resolve(#"\#(names){"n":1}"#, &resolver)
        #expect(string(third.payload) == "<private>")
    }

    @Test func `a text of an earlier rule is protected as well as one that cannot be read`() throws {
        var reveal = try Self.resolver(.logfmt, mode: .reveal)
        let revealed = event("n=1 email=x", resolve("n=1 email=x", &reveal))
        var json = try Self.resolver(.json)
        #expect(string(json.redacted(revealed)?.message) == #"n=1 email="<private>""#)
        let again = json.reprocess(revealed)
        #expect(again.resolution == .plain && again.text == nil)
        #expect(string(again.payload) == #"n=1 email="<private>""#)
    }

    @Test(arguments: [
        "level=warn failed for email: a@b.example", "level=warn (email=a@b.example)", "n=1 email= a@b.example",
        "email=a@b.example n=1 x-a@b.example=2", "n=1 e=email: a@b.example", "n=1 email:a@b.example",
        "email='Hanako a@b.example'", "email=[hanako n=a@b.example]", "email=User(first=a last=a@b.example)",
        #"email=x"y n=a@b.example""#, #"email=Hanako\ a@b.example=1"#, "email=> a@b.example=1", "email=: x=a@b.example",
        "url=/?email=x&email: a@b.example=1", #"device={"email":"Hanako n=a@b.example"}"#, "n=1 email -> x=a@b.example",
        "n=1 x=email = a@b.example", "n=1 a@b.example my-email=a@b.example", #"n=1 email :a@b.example"#,
        #"n=1 a@b.example email="a@b.example"#, "n=1 user[email]=a@b.example", "n=1 email.address=a@b.example",
        "n=1 user.email=a@b.example", "n=1 \u{1B}[36memail\u{1B}[0m=a@b.example",
    ])
    func `logfmt with a private value that is not the value of a pair is malformed`(text: String) throws {
        try expectHidden("a@b.example", in: text, .logfmt, .malformed)
    }

    @Test(arguments: [
        "x email= hanako42 n=1", "email: hanako42=1", "email: hanako42== n=1", "n=1 email=hanako42 ;hanako42=2",
        "email= hanako42==", "phone: 123, email: hanako42=1", #"from hanako42: email=<"hanako42 x"@b.example> n=1"#,
        #"hanako42 email="hanako42"x n=1"#, "hanako42, email=[hanako42 x]", "email=: hanako42", "email=> hanako42",
        "hanako42 n=1 my-email=hanako42", "url=/?email=x&email: hanako42",
    ])
    func `pairs in text with a private value in the wrong place are malformed`(text: String) throws {
        try expectHidden("hanako42", in: text, .syslogKV, .malformed)
    }

    @Test(arguments: [
        "x email= n=1", "n=1 email=", "email=a@b.example; (a@b.example) n=1", "email=Hanako a@b.example, n=1",
        "to a@b.example: email=O'Brien(a@b.example) n=1",
    ])
    func `empty private values, and private values between pairs, harm no pair`(text: String) throws {
        let kept = try expectHidden("a@b.example", in: text, .syslogKV, .resolved)
        #expect(string(kept.payload)?.contains(#""n":1"#) == true)
    }

    @Test(arguments: ["email=Hanako a@b.example n=1", "n=1 email=a@b.example a@b.example"])
    func `words between the pairs of logfmt are not kept beside a private value`(text: String) throws {
        let kept = try expectHidden("a@b.example", in: text, .logfmt, .resolved)
        #expect(kept.findings == nil)
    }

    @Test(arguments: [PayloadFormat.logfmt, .syslogKV])
    func `texts with public names only are kept as they are`(format: PayloadFormat) throws {
        let text = "url=/?email=x n=1 (email of a@b.example)"
        var resolver = try Self.resolver(format)
        let outcome = resolve(text, &resolver)
        #expect(string(outcome.text?.bytes) == text)
        #expect(string(outcome.payload)?.hasPrefix(#"{"url":"/?email=x","n":1"#) == true)
    }

    @Test(arguments: [
        "n=1 ruser= rhost=  email=-", "email=? n=1 rhost=", "email=*** n=1", "email=[] n=1", "email='a@b.example' n=1",
        #"email=CORP\a@b.example n=1"#, "email= user_id= n=1", #"email=x n=1 text=a\b"#,
    ])
    func `ordinary values of private pairs are understood`(text: String) throws {
        for format in [PayloadFormat.logfmt, .syslogKV] {
            let kept = try expectHidden("a@b.example", in: text, format, nil)
            #expect(kept.resolution.hasPayload && string(kept.payload)?.contains(#""n":1"#) == true)
        }
    }

    @Test(arguments: [
        #"device={"email":"(","a":")","n":1}"#, #"email=p@q text="foo, 5"x, ratio=6"#,
        #"email=p@q device={"email":"x y","n":1}"#,
    ])
    func `a text that is written again has the same pairs`(text: String) throws {
        try expectHidden("p@q", in: text, .syslogKV, nil)
    }

    @Test func `a private value that only several names have together hides none of them`() throws {
        for format in [PayloadFormat.logfmt, .syslogKV] {
            let kept = try expectHidden("abcdef", in: "abc=1 def=2 email=abcdef n=1", format, nil)
            let payload = string(kept.payload) ?? ""
            #expect(payload.contains(#""abc":"#) && payload.contains(#""def":"#), "\(payload)")
        }
    }

    @Test func `a hash of bytes that are not UTF-8 stays the same`() throws {
        let definitions = "# a\n\n## event\n\n- user_id: !string\n    - privacy: hash\n"
        var resolver = try Self.resolver(.logfmt, definitions)
        let text = Array("user_id=ab".utf8) + [0xE9] + Array("cd".utf8)
        let stored = event("", text.withUnsafeBytes { resolver.resolve($0, from: Self.origin) })
        #expect(resolver.redacted(stored) == nil)
        #expect(resolver.reprocess(stored).payload == stored.payload)
    }

    @Test(.timeLimit(.minutes(1))) func `many brackets, pairs and private names in one value take no quadratic time`()
        throws
    {
        let texts = [
            String(repeating: "a=<,", count: 250_000), "url=" + String(repeating: "email:", count: 170_000) + "x",
            "email[" + String(repeating: "]", count: 1_000_000),
            "\"\(String(repeating: "email.", count: 30_000))\"\(String(repeating: " ", count: 500_000))x",
            (0..<100).map { "email=aaaa\($0) " }.joined() + String(repeating: "x=1 ", count: 65_000),
        ]
        for format in [PayloadFormat.logfmt, .syslogKV, .jsonInText] {
            var resolver = try Self.resolver(format)
            for text in texts { #expect(resolve(text, &resolver).payload != [0]) }
        }
    }

    @Test(arguments: [
        #"sent to a@b.example {"email":{"a@b.example":1}}"#, #"to ["a\u0040b.example"] {"email":"a\u0040b.example"}"#,
        #"x {"n":1} user[email]=a@b.example"#, #"x {"n":1} [email] => a@b.example"#,
    ])
    func `names within private values, and values with escapes, are found around an object`(text: String) throws {
        let kept = try expectHidden("b.example", in: text, .jsonInText, nil)
        #expect(kept.resolution.hasPayload)
    }

    @Test func `what was found about words that may not leave does not leave`() throws {
        var reveal = try Self.resolver(.logfmt, mode: .reveal)
        let text = "email=Hanako Yamada n=1"
        let revealed = event(text, resolve(text, &reveal))
        #expect(revealed.findings?.violations.map(\.parameter) == ["Yamada"])
        var protect = try Self.resolver(.logfmt)
        let redacted = protect.redacted(revealed)
        let sent = try #require(redacted)
        #expect(sent.findings == nil && sent.resolution == .resolved)
        #expect(string(sent.payload) == #"{"email":"<private>","n":1}"#)
    }

    @Test(arguments: [PayloadFormat.logfmt, .syslogKV])
    func `private values that are not UTF-8 are hidden`(format: PayloadFormat) throws {
        let text =
            Array("n=1 email=<ab".utf8) + [0xE9, 0xFF] + Array("cd> of ab".utf8) + [0xE9, 0xFF] + Array("cd".utf8)
        var resolver = try Self.resolver(format)
        let outcome = text.withUnsafeBytes { resolver.resolve($0, from: Self.origin) }
        #expect(string(outcome.text?.bytes) == #"n=1 email="<private>""#)
    }

    @Test(arguments: [
        (PayloadFormat.logfmt, #"device={"email":"a@b.example","n":[1]} n=1"#),
        (.syslogKV, #"x: device={"email":"a@b.example","n":[1]}, n=1"#),
        (.logfmt, #"device="{\"email\":\"a@b.example\"}" n=1"#),
        (.logfmt, #"n=1 device="{\"e\\u006dail\":[\"a@b.\\u0065xample\"]}""#),
    ])
    func `private members of an object in a pair are hidden`(format: PayloadFormat, text: String) throws {
        let kept = try expectHidden("a@b.example", in: text, format, .resolved)
        #expect(string(kept.payload)?.contains(#":"<private>""#) == true)
        #expect(string(kept.message)?.contains("u0065xample") == false)
    }

    @Test(arguments: [
        #"x {"a":{"email":"a@b.example","n":1}"#, #"x {"a":{"n":1},"email":{"first":"a@b.example"},}"#,
        #"sent to a@b.example {"email":"a@b.example","n":01}"#, #"sent {"n":1,"email" "a@b.example"}"#,
    ])
    func `no part of a broken object is the payload`(text: String) throws {
        try expectHidden("a@b.example", in: text, .jsonInText, .malformed)
    }

    @Test(arguments: [
        (#"sent {"email" "a@b.example"}"#, #"sent {"email"<private>""#, Resolution.plain),
        (#"sent {'email' 'a@b.example'}"#, #"sent {'email"<private>""#, .plain),
        (#"sent { \"email\" \"a@b.example\"}"#, #"sent { \"email"<private>""#, .plain),
        (#"sent {\n \"email\" \"a@b.example\"}"#, #"sent {\n \"email"<private>""#, .plain),
        (#"sent {"n":1} {'email' 'a@b.example'} !"#, #"sent {"n":1} {'email"<private>""#, .resolved),
        (#"sent {'email' 'a@b.example'} {"n":1}"#, "<private>", .malformed),
        (#"sent {"n":1} {"email" "a@b.example"} !"#, #"sent {"n":1} {"email"<private>""#, .resolved),
        (#"sent {"email" "a@b.example"} {"n":1}"#, "<private>", .malformed),
    ])
    func `behind a private name without a colon in a broken object nothing is kept`(
        text: String, message: String, resolution: Resolution
    ) throws {
        let kept = try expectHidden("a@b.example", in: text, .jsonInText, resolution)
        #expect(string(kept.message) == message)
    }

    @Test(arguments: [
        #"the field "email" is missing in {"a":1,"#, #"an "email" {"n":1} with "email""#, #""email" is {missing}"#,
    ])
    func `a private name that is quoted in text outside an object hides nothing`(text: String) throws {
        var resolver = try Self.resolver(.jsonInText)
        #expect(string(event(text, resolve(text, &resolver)).message) == text)
    }

    @Test(arguments: [
        #"email=[{"first":"a@b.example"}]"#, #"email: User({"first":"a@b.example"})"#,
        #"email="x {"first":"a@b.example"}""#, #"user email=('x', {"first":"a@b.example"})"#,
        #"email={"first":"a@b.example"}"#, #"email: x, user_id={"first":"a@b.example"}"#,
        #"email => {"first":"a@b.example"}"#, #"email := {"first":"a@b.example"}"#,
        #"email -> {"first":"a@b.example"}"#, #"email: User(-> "\")", {"first":"a@b.example"})"#,
        #"of a@b.example: email=x {"email":"a@b.example"}"#,
    ])
    func `an object behind a private name is no payload`(text: String) throws {
        let kept = try expectHidden("a@b.example", in: text, .jsonInText, .malformed)
        #expect(kept.findings?.reason == "the name of a private parameter stands before the object")
        #expect(string(kept.payload) == "<private>")
    }

    @Test(arguments: [
        String(repeating: #"{"a":"#, count: 200) + "1" + String(repeating: "}", count: 200),
        "{\((0..<66_000).map { "\"m\($0)\":1" }.joined(separator: ","))}",
    ])
    func `an object beyond the limits is malformed with its whole text`(object: String) throws {
        let kept = try expectHidden("a@b.example", in: "x \(object) email: a@b.example", .jsonInText, .malformed)
        #expect(string(kept.payload) == "<private>")
        let open = try expectHidden("a@b.example", in: "x \(object) of email", .jsonInText, .malformed)
        #expect(string(open.payload) == "x \(object) of email")
        #expect(kept.findings?.reason?.contains(object.count > 2000 ? "more than 65536 members" : "nested") == true)
    }

    @Test func `a payload that may not leave the machine takes its text and its level with it`() throws {
        let text = #"email={"level":"error","n":1} of a@b.example"#
        var reveal = try Self.resolver(.jsonInText, level: "level", mode: .reveal)
        let revealed = event(text, resolve(text, &reveal))
        #expect(revealed.program.level == .err)
        var protect = try Self.resolver(.jsonInText, level: "level")
        let redacted = protect.redacted(revealed)
        let sent = try #require(redacted)
        #expect(string(sent.payload) == "<private>" && sent.text == nil)
        #expect(sent.program == .none && sent.resolution == .malformed)
        #expect(protect.redacted(sent) == nil)
    }

    @Test func `a level and a time that have become private do not leave the machine`() throws {
        let text = #"{"ts":1795255200,"severity":"info"}"#
        let (open, hidden) = ("# a\n\n## event\n\n- ts: !bigint\n", "    - privacy: private\n")
        var before = try Self.resolver(.json, open + "- severity: !string\n", level: "severity", time: "ts")
        let stored = event(text, resolve(text, &before))
        #expect(stored.program == ProgramFacts(level: .info, timeMicroseconds: 1_795_255_200_000_000))
        var now = try Self.resolver(.json, open + hidden + "- severity: !string\n", level: "severity", time: "ts")
        #expect(now.redacted(stored)?.program == ProgramFacts(level: .info))
    }

    @Test func `a text that lost its end to redaction is not read as pairs`() throws {
        var json = try Self.resolver(.json)
        let stored = event("n=1 email=x text=y", resolve("n=1 email=x text=y", &json))
        #expect(string(stored.payload) == #"n=1 email="<private>""#)
        var logfmt = try Self.resolver(.logfmt)
        #expect(logfmt.reprocess(stored).resolution == .plain)
    }

    @Test func `a plain text that was cut does not become pairs`() throws {
        var json = try Self.resolver(.json)
        let stored = event("n=1 text=x", resolve("n=1 text=x", &json, flaws: .cut))
        var logfmt = try Self.resolver(.logfmt)
        let again = logfmt.reprocess(stored)
        #expect(again.resolution == .plain && again.findings?.warnings == [.cut])
    }

    /// Expects that neither the stored event nor what leaves the machine has a private value, and that what is stored
    /// stays what it is.
    @discardableResult
    func expectHidden(
        _ secret: String, in text: String, _ format: PayloadFormat, _ resolution: Resolution?, more: String = ""
    ) throws -> Event {
        let definitions = Self.definitions + "\n- device: Device?\n" + more
        let types = "## Device\n\nextra parameters: allowed\n\n- n: !any?\n"
        var (protect, reveal) = (
            try Self.resolver(format, definitions, types: types),
            try Self.resolver(format, definitions, types: types, mode: .reveal)
        )
        let kept = event(text, resolve(text, &protect))
        let resolution = resolution ?? kept.resolution
        #expect(kept.resolution == resolution, "\(String(describing: kept.findings))")
        let revealed = event(text, resolve(text, &reveal))
        #expect(string(revealed.message) == text)
        for event in [kept, protect.redacted(revealed) ?? revealed] {
            #expect(string(event.payload)?.contains(secret) == false)
            #expect(string(event.message)?.contains(secret) == false)
            #expect(!"\(String(describing: event.findings))".contains(secret))
        }
        #expect(protect.redacted(kept) == nil)
        let again = protect.reprocess(kept)
        // Why it is malformed may be found in another place.
        #expect(again.resolution == resolution && (again.findings == kept.findings || resolution == .malformed))
        #expect(again.payload ?? kept.payload == kept.payload && again.text == kept.text)
        return kept
    }
}
