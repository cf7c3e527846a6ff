import Definitions
import Model
import Resolve
import TestSupport
import Testing

/// Where a private value begins and ends in a text, and what else says what it is.
extension TextPayloadTests {
    @Test(arguments: [
        "n=1 email[0]=hanako42", "n=1 email[]=hanako42", "n=1 email[a][]=hanako42", "n=1 user.email[0]=hanako42",
        "n=1 email=CN=Hanako Yamada,emailAddress=hanako42", "n=1 email=session=abc; uid=hanako42",
        "n=1 email=b'Hanako uid=hanako42'", "n=1 email=“Hanako uid=hanako42”", "n=1 email=「花子 uid=hanako42」",
        "n=1 email=‘Hanako uid=hanako42’", "n=1 email= @7=hanako42 x=1", "n=1 email= a@b=hanako42",
        #"n=1 text="C:\tmp\" email=" hanako42" x=1"#, "n=1 email[0].x=hanako42", "n=1 email=‚Hanako uid=hanako42‘",
        "n=1 email=’Hanako uid=hanako42’", "n=1 email=《花子 uid=hanako42》",
    ])
    func `a value that may go on behind its pair is hidden with everything else`(text: String) throws {
        for format in [PayloadFormat.logfmt, .syslogKV] { try expectHidden("hanako42", in: text, format, .malformed) }
    }

    @Test(arguments: [
        "email=hanako42== n=1", "email=b'hanako42' n=1", "email=D'Hanako42/hanako42 n=1", "email=「hanako42」 n=1",
        "email=hanako42’s n=1", "email=/ n=1", "email=:: n=1", "email={} n=1", "email=() n=1", "email=. n=1",
        "email=/, n=1",
        "n=1 text=/?email=", "n=1 text=/?a=1&email=", "text=/?email= n=1", "email=email n=1", "email=text n=1 text=x",
        "user_id=user n=1", "email=/search?q=hanako42 n=1", "email=http://a.example/?x=hanako42 n=1",
        "email=‘hanako42’, n=1", "email=《hanako42》 n=1",
        #"n=1 device={"email":"a=hanako42"}"#,
    ])
    func `ordinary values and names are understood`(text: String) throws {
        for format in [PayloadFormat.logfmt, .syslogKV] {
            let kept = try expectHidden("hanako42", in: text, format, nil)
            #expect(kept.resolution.hasPayload && string(kept.payload)?.contains(#""n":1"#) == true, "\(text)")
        }
    }

    @Test func `more private values than are searched for are hidden, with the reason`() throws {
        let values = (0..<120).map { #"{"email":"v\#($0)x"}"# }.joined(separator: ",")
        let kept = try expectHidden("v7x", in: "n=1 device={\"n\":[\(values)]}", .logfmt, .malformed)
        #expect(kept.findings?.reason?.contains("too many") == true)
    }

    @Test(arguments: [
        (#"{worker-1} sent to hanako42: {"email":"hanako42","n":01}"#, Resolution.malformed),
        (#"login with %^&*!@# {"email":"%^&*!@#"}"#, .resolved),
        (#"Hanako Yamada Tarou! {"email":["Hanako Yamada","Yamada Tarou!"]}"#, .violating),
        (#"x {"n":1} email[0]=hanako42"#, .resolved),
        (#"{"a \q": 1} {"email":"\q","n":2}"#, .malformed),
    ])
    func `nothing of a private value stays around an object`(text: String, resolution: Resolution) throws {
        for secret in ["hanako42", "%^&*!@#", "Hanako", "Tarou", "Yamada", #"\q"#] where text.contains(secret) {
            try expectHidden(secret, in: text, .jsonInText, resolution)
        }
    }

    @Test func `values that overlap are replaced as one`() throws {
        var resolver = try Self.resolver(.jsonInText)
        let text = #"ab Hanako Yamada Tarou cd Tarou {"email":["Hanako Yamada","Yamada Tarou","Tarou"]}"#
        let outcome = resolve(text, &resolver)
        #expect(string(outcome.text?.bytes) == "ab <private> cd <private> ")
        let repeated = resolve(#"Duran Duran Duran x {"email":"Duran Duran"}"#, &resolver)
        #expect(string(repeated.text?.bytes) == "<private> x ")
        let parts = resolve(#"xab12 cdab12 cd x {"email":"ab12 cd"}"#, &resolver)
        #expect(string(parts.text?.bytes) == "<private> x ")
    }

    @Test(.timeLimit(.minutes(1))) func `values that repeat themselves take no quadratic time`() {
        for part in ["a", "Duran ", "ab12 cd"] {
            guard var resolver = try? Self.resolver(.jsonInText) else { return }
            let long = String(repeating: part, count: 400_000 / part.count)
            let outcome = resolve(#"\#(long)\#(long)x {"email":"\#(long)"}"#, &resolver)
            #expect(string(outcome.text?.bytes)?.contains(part + part) == false)
        }
    }

    // MARK: names

    /// Names of parameters whose definition has an error may have any characters.
    @Test(arguments: ["メール", "z-", "e mail"])
    func `values of protected names with other characters than letters are hidden`(name: String) throws {
        let files = [DefinitionFile(name: "a.md", bytes: Array(Self.definitions.utf8))]
        var options = DictionaryOptions(name: "shop", path: "definitions")
        for format in PayloadFormat.allCases {
            options.layoutOfSource = [
                "program": PayloadLayout(category: .fixed("a"), name: .fixed("event"), format: format)
            ]
            var dictionary = try DictionaryParser.parse(files, options: options).dictionary
            dictionary.suspected = [ExactString(name): .private]
            var resolver = Resolver(dictionaries: [dictionary], protection: Protection(mode: .protect, key: [1]))
            let key = name.replacing(" ", with: "_") == name ? name : "\"\(name)\""
            let texts =
                switch format {
                case .json: [#"{"\#(name)":"hanako42","#, #"{"a":"x", '\#(name)' = hanako42}"#, "\(name): hanako42"]
                case .jsonInText: [#"a {"n":1} \#(name): hanako42"#, #"hanako42 {"\#(name)":"hanako42"}"#]
                case .logfmt, .syslogKV: ["n=1 \(key)=hanako42", "n=1 \(key): hanako42"]
                }
            for text in texts {
                let kept = event(text, resolve(text, &resolver))
                #expect(string(kept.payload)?.contains("hanako42") == false, "\(format) \(text)")
                #expect(string(kept.message)?.contains("hanako42") == false, "\(format) \(text)")
                #expect(resolver.redacted(kept) == nil)
            }
        }
    }

    @Test func `names in a private value are not among what is wrong with it`() throws {
        let more = "- note: Note?\n    - privacy: private\n"
        let types = "## Note\n\n- os: !string?\n"
        let definitions = Self.definitions + "\n" + more
        var protect = try Self.resolver(.json, definitions, types: types)
        let text = #"{"note":{"hanako42":1,"hanako42":2,"os":5,"os":5},"hanako":1}"#
        let outcome = resolve(text, &protect)
        let found = outcome.findings
        let rules = found?.violations.map { "\($0.parameter) \($0.rule.rawValue)" } ?? []
        #expect(
            Set(rules) == ["note.<private> unknown-parameter", "note.os type", "hanako unknown-parameter"], "\(rules)")
        #expect(found?.warnings == [])
        let kept = event(text, outcome)
        #expect(protect.redacted(kept) == nil && protect.reprocess(kept).findings == found)

        // It was stored before the name became private.
        var reveal = try Self.resolver(.json, definitions, types: types, mode: .reveal)
        let revealed = event(text, resolve(text, &reveal))
        #expect(revealed.findings?.violations.contains { $0.parameter == "note.hanako42" } == true)
        let sent = protect.redacted(revealed)
        #expect(sent?.findings == found && sent?.payload == kept.payload)
        #expect(Set(protect.reprocess(revealed).findings?.violations ?? []) == Set(found?.violations ?? []))
    }

    // MARK: other formats later

    @Test func `what leaves is what reprocessing stores, also under another format`() throws {
        for format in [PayloadFormat.syslogKV, .jsonInText] {
            for text in [
                "to hanako42: email=hanako42, zz=1", "to x: n=1 email.x=hanako42, zz=1",
                #"sent to hanako42 {"email":"hanako42"}"#, "nothing private",
                #"zz=1 {"zz":1} email=hanako42 text=y"#,
            ] {
                var json = try Self.resolver(.json, mode: .reveal)
                let stored = event(text, resolve(text, &json))
                #expect(stored.resolution == .plain)
                var now = try Self.resolver(format)
                let redacted = now.redacted(stored)
                guard text.contains("hanako42") else {
                    #expect(redacted == nil)
                    continue
                }
                let sent = try #require(redacted)
                let later = now.reprocess(stored)
                #expect(!later.resolution.hasPayload || string(sent.message)?.contains("hanako42") == false)
                #expect(sent.payload == later.payload ?? stored.payload && sent.text == later.text)
            }
        }
    }

    @Test func `a text that was cut behind an object keeps the object, also under another format`() throws {
        let text = #"zz=1 {"zz":1,"email":"hanako42","n":2} email=hanako42 text=y"#
        var first = try Self.resolver(.jsonInText)
        let kept = event(text, resolve(text, &first))
        #expect(string(kept.payload) == #"{"zz":1,"email":"<private>","n":2}"#)
        for format in [PayloadFormat.logfmt, .syslogKV] {
            var resolver = try Self.resolver(format)
            let later = resolver.reprocess(kept)
            #expect(later.resolution == kept.resolution && later.findings == kept.findings)
            #expect(later.payload ?? kept.payload == kept.payload && later.text == kept.text)
            #expect(resolver.redacted(kept) == nil)
        }
    }

    @Test(arguments: [
        #"a="email[email:" b="]=x""#, "device[email=hanako42]: logged in", "email[hanako42]=1",
        "x email[a=hanako42, b=1]: x",
        #"a="email[email[email:]]:" b="]=x" hanako42"#,
    ])
    func `names in the brackets of a private name stop nothing, and are hidden`(text: String) throws {
        for format in PayloadFormat.allCases {
            for text in [text, "n=1 \(text)", #"x {"n":1} \#(text)"#] {
                let definitions = Self.definitions + "\n- device: !string?\n    - privacy: private\n"
                var resolver = try Self.resolver(format, definitions)
                let kept = event(text, resolve(text, &resolver))
                let isBehind = text.contains("]=x\" hanako42")
                #expect(isBehind || string(kept.message)?.contains("hanako42") == false, "\(format) \(text)")
                #expect(resolver.redacted(kept) == nil, "\(format) \(text)")
            }
        }
    }

    @Test func `a text that the store has cut keeps what is left of it`() throws {
        for format in [PayloadFormat.logfmt, .syslogKV, .jsonInText] {
            var resolver = try Self.resolver(format)
            var cut = event(#"n=1 email="<private>" te"#, resolve("n=1", &resolver))
            cut.payload = Array(#"n=1 email="<private>" te"#.utf8)
            let sender = event(#"n=1 email="<private>"hanako42 zz=1"#, resolve("n=1", &resolver))
            var malformed = sender
            malformed.payload = Array(#"n=1 email="<private>"hanako42 zz=1"#.utf8)
            (malformed.text, malformed.resolution) = (nil, .malformed)
            #expect(string(resolver.redacted(malformed)?.payload) == "<private>")
            (cut.text, cut.resolution, cut.findings) = (nil, .malformed, Findings(reason: "cut at 99 bytes"))
            #expect(resolver.redacted(cut) == nil)
            #expect(resolver.reprocess(cut).payload == nil)
        }
    }
}
