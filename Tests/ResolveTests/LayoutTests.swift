import Definitions
import Model
import Resolve
import TestSupport
import Testing

struct LayoutTests {
    private func dictionary(
        _ text: String, _ layout: PayloadLayout = .usual, types: String = "",
        sources: [ExactString: PayloadLayout] = [:]
    ) throws -> EventDictionary {
        var options = DictionaryOptions(name: "shop", path: "definitions", layout: layout)
        options.layoutOfSource = sources
        let files = [("access.md", text), ("types/all.md", types)].filter { !$0.1.isEmpty }
            .map { DefinitionFile(name: $0.0, bytes: Array($0.1.utf8)) }
        return try DictionaryParser.parse(files, options: options).dictionary
    }

    private func resolve(
        _ payload: String, _ resolver: inout Resolver, from origin: Origin = .sample()
    ) -> Resolver.Outcome {
        Array(payload.utf8).withUnsafeBytes { resolver.resolve($0, from: origin) }
    }

    private func event(_ payload: [UInt8], _ outcome: Resolver.Outcome, from origin: Origin = .sample()) -> Event {
        Event(
            id: 1, origin: origin, level: .info, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: outcome.resolution, kind: outcome.kind,
            findings: outcome.findings, payload: payload)
    }

    private let request = PayloadLayout(category: .fixed("access"), name: .fixed("request"))

    @Test func `a rule may say which event all its payloads are`() throws {
        let definitions = try dictionary("## request\n\n- status: !integer\n", sources: ["nginx": request])
        var resolver = Resolver(dictionaries: [definitions], protection: .reveal)
        let nginx = Origin.sample(source: "nginx")
        let found = resolve(#"{"status":200}"#, &resolver, from: nginx)
        #expect(found.resolution == .resolved)
        #expect(found.kind.key == EventKey(category: "access", name: "request"))
        let withKey = resolve(#"{"event_category":"x","event_name":"y","status":200}"#, &resolver, from: nginx)
        #expect(withKey.findings?.violations.map(\.parameter) == ["event_category", "event_name"])
        #expect(resolve(#"{"status":200}"#, &resolver).resolution == .unkeyed, "from another source")
    }

    @Test(arguments: [Privacy.private, .hash])
    func `what a key is in stays protected around it`(privacy: Privacy) throws {
        let layout = PayloadLayout(category: .fixed("access"), name: .member(MemberPath("user.info.event")))
        var definitions = try dictionary("## request\n\n- n: !integer?\n", layout)
        // As of a definition whose parameter must not contain the key.
        definitions.suspected = ["user": privacy, "event": privacy, "email": .private]
        var resolver = Resolver(
            dictionaries: [definitions], protection: Protection(mode: .protect, key: [1]))
        for (payload, isKeyed) in [
            (
                #"{"n":1,"user":{"\u0065mail":"SECU","a":"SECU","info":{"event":"request","b":["SECU",{"c":"SECU"}]}},"event":"SECU"}"#,
                true
            ),
            (#"{"user":{"info":{"event":{"x":"SECU"}}},"x":{"event":"SECU"}}"#, false),
        ] {
            let outcome = resolve(payload, &resolver)
            let stored = try #require(outcome.payload)
            let text = String(decoding: stored, as: UTF8.self)
            #expect(!text.contains("SECU"), "\(text)")
            #expect(text.contains(#"mail":"<private>""#) == isKeyed)
            #expect(text.contains(#""event":"request""#) == isKeyed && (outcome.kind.key?.name == "request") == isKeyed)
            // What is stored is resolved again in the same way, and nothing more is replaced.
            let again = resolver.reprocess(event(stored, outcome))
            #expect(again.payload == nil && again.kind == outcome.kind && again.resolution == outcome.resolution)
        }
    }

    @Test func `rules name events as their definitions do, whatever payloads call them`() throws {
        let checkout = PayloadLayout(category: .fixed("access"), name: .member(MemberPath("event")))
        let definitions = try dictionary(
            "# access\n\nsent as: Access\n\n## request\nsent as: HTTP Request\n\nText.\n",
            sources: ["nginx": request, "web": checkout])
        var resolver = Resolver(dictionaries: [definitions], protection: .reveal)
        let key = EventKey(category: "access", name: "request")
        #expect(resolve("{}", &resolver, from: .sample(source: "nginx")).kind.key == key)
        let named = resolve(#"{"event":"HTTP Request"}"#, &resolver, from: .sample(source: "web"))
        #expect(named.resolution == .resolved && named.kind.key == key)
        let usual = resolve(#"{"event_category":"Access","event_name":"HTTP Request"}"#, &resolver)
        #expect(usual.resolution == .resolved && usual.kind.key == key)
        // Also what is not defined: it keeps its key when the category gets another name in payloads.
        let other = resolve(#"{"event":"other"}"#, &resolver, from: .sample(source: "web"))
        #expect(other.resolution == .undefined && other.kind.key == EventKey(category: "access", name: "other"))
    }

    @Test func `an event that a rule names says where its definition has an error, whatever payloads call it`() throws {
        let key = EventKey(category: "access", name: "request")
        let sent = EventKey(category: "Access", name: "HTTP Request")
        let parsed = try dictionary("# access\n\nsent as: Access\n\n## other\n\nText.\n", sources: ["nginx": request])
        let empty = EventDictionary(options: parsed.options, version: "v", common: [], categories: [])
        for var definitions in [parsed, empty] {
            definitions.broken = [sent: "access.md:12"]
            definitions.sentKeysOfBroken = [key: sent]
            var resolver = Resolver(dictionaries: [definitions], protection: .reveal)
            let found = resolve("{}", &resolver, from: .sample(source: "nginx"))
            #expect(found.resolution == .undefined)
            #expect(found.findings?.reason == "its definition has an error: access.md:12")
        }
    }

    @Test(arguments: [
        ("event", nil, #"{"event":"request"}"#), ("context.event", "context", #"{"context":{"event":"request"}}"#),
    ])
    func `the key is no parameter, even if a list of many events has its name`(
        name: String, object: String?, payload: String
    ) throws {
        let text = "# access\n\n- event: !bigint\n\n## request\n\nText.\n"
        let layout = PayloadLayout(
            category: .definingFile, name: .member(MemberPath(name)), parametersAt: object.map { MemberPath($0) })
        var resolver = Resolver(dictionaries: [try dictionary(text, layout)], protection: .reveal)
        let found = resolve(payload, &resolver)
        #expect(found.resolution == .resolved && found.findings == nil, "\(found)")
        // Where the key is elsewhere, it is one.
        let fixed = PayloadLayout(category: .fixed("access"), name: .fixed("request"))
        var other = Resolver(dictionaries: [try dictionary(text, fixed)], protection: .reveal)
        #expect(resolve(#"{"event":"request"}"#, &other).findings?.violations.map(\.rule) == [.type])
    }

    @Test func `what a rule says counts without a dictionary, too`() throws {
        var resolver = Resolver(dictionaries: [], sources: ["nginx": request], protection: .reveal)
        let found = resolve(#"{"status":200}"#, &resolver, from: .sample(source: "nginx"))
        #expect(found.resolution == .undefined)
        #expect(found.kind.key == EventKey(category: "access", name: "request"))
    }

    @Test func `a stored event is resolved again by the journal fields that are stored with it`() throws {
        let layout = PayloadLayout(category: .fixed("access"), name: .journalField("EVENT_NAME"))
        let origin = Origin.sample(keyFields: KeyFields(["EVENT_NAME": "request"]))
        var before = Resolver(dictionaries: [try dictionary("## other\n\nText.\n", layout)], protection: .reveal)
        let payload = Array(#"{"status":"200"}"#.utf8)
        let first = payload.withUnsafeBytes { before.resolve($0, from: origin) }
        #expect(first.resolution == .undefined)
        var now = Resolver(
            dictionaries: [try dictionary("## request\n\n- status: !integer\n", layout)], protection: .reveal)
        let again = now.reprocess(event(payload, first, from: origin))
        #expect(again.resolution == .violating)
        #expect(again.kind.key == EventKey(category: "access", name: "request"))
    }

    @Test func `a value that is the key is never replaced, whatever other value of its name is private`() throws {
        let layout = PayloadLayout(
            category: .definingFile, name: .member(MemberPath("context.event")))
        let definitions = try dictionary(
            "## request\n\n- user: User\n- context: Context\n", layout,
            types: """
                ## User
                - event: !string
                    - privacy: private

                ## Context
                - locale: !string

                """)
        let protection = Protection(mode: .protect, key: [1])
        var resolver = Resolver(dictionaries: [definitions], protection: protection)
        let payload = #"{"context":{"locale":"ja","event":"request"},"user":{"event":"secret"}}"#
        let first = resolve(payload, &resolver)
        #expect(first.resolution == .resolved)
        let redacted = try #require(first.payload)
        let expected = #"{"context":{"locale":"ja","event":"request"},"user":{"event":"<private>"}}"#
        #expect(String(decoding: redacted, as: UTF8.self) == expected)
        let stored = event(redacted, first)
        #expect(resolver.redacted(stored) == nil)
        #expect(
            resolver.redacted(event(Array(payload.utf8), first))?.payload == redacted,
            "stored while private values were revealed")
        let again = resolver.reprocess(stored)
        #expect(again.resolution == .resolved && again.payload == nil)
    }

    @Test func `what was found within hidden parameters of an envelope is kept`() throws {
        let layout = PayloadLayout(
            category: .definingFile, name: .member(MemberPath("event")), parametersAt: MemberPath("properties"))
        let open = try dictionary("## request\n\n- status: !integer\n", layout)
        var resolver = Resolver(dictionaries: [open], protection: Protection(mode: .protect, key: [1]))
        let first = resolve(#"{"event":"request","properties":{"status":"x"}}"#, &resolver)
        #expect(first.findings?.violations.map(\.parameter) == ["properties.status"])
        var stored = event(Array(#"{"event":"request","properties":"<private>"}"#.utf8), first)
        #expect(resolver.reprocess(stored).findings == first.findings)
        stored.findings = nil
        #expect(resolver.reprocess(stored).resolution == .resolved)
    }

    @Test(arguments: [
        ("## request\n\n- event: !string\n", "event", "properties", [String]()),
        (
            "## request\n\n- event: !string\n", "event", nil,
            ["`event` is the key that finds definitions: choose another name"]
        ),
        (
            "## request\n\n- context: Context\n    - privacy: private\n", "context.event", nil,
            ["`context` contains `context.event`, the key that finds definitions: it cannot be private"]
        ),
        (
            "## request\n\n- other: Other\n", "context.event", nil,
            ["`context` contains `context.event`, the key that finds definitions: it cannot be private"]
        ),
    ])
    func `no parameter takes the place of the key`(
        text: String, name: String, object: String?, errors: [String]
    ) throws {
        let layout = PayloadLayout(
            category: .definingFile, name: .member(MemberPath(name)), parametersAt: object.map { MemberPath($0) })
        let options = DictionaryOptions(name: "shop", path: "d", layout: layout)
        let type = "## Other\n\n- context: !string\n    - privacy: private\n"
        var files = [DefinitionFile(name: "a.md", bytes: Array(text.utf8))]
        if text.contains("Other") { files.append(DefinitionFile(name: "types/t.md", bytes: Array(type.utf8))) }
        let found = DictionaryParser.read(files, options: options).problems.filter { $0.severity == .error }
        #expect(found.map(\.message) == errors)
    }

    @Test func `no common parameter takes the place of the object with the others`() {
        let options = DictionaryOptions(
            name: "shop", path: "d",
            layout: PayloadLayout(
                category: .definingFile, name: .member(MemberPath("event")), parametersAt: MemberPath("data.order")))
        let file = DefinitionFile(name: "common.md", bytes: Array("- data: !string\n- order: !string\n".utf8))
        let errors = DictionaryParser.read([file], options: options).problems.filter { $0.severity == .error }
        #expect(
            errors.map(\.message)
                == ["`data` has the parameters of events (`parameters_at`): it cannot be one of them"])
    }

    @Test func `names that alone find definitions are unique in the dictionary`() {
        let options = DictionaryOptions(
            name: "shop", path: "d",
            layout: PayloadLayout(category: .definingFile, name: .member(MemberPath("event"))))
        let files = ["a.md", "b.md"].map { DefinitionFile(name: $0, bytes: Array("## tap\n\nTapped.\n".utf8)) }
        let errors = DictionaryParser.read(files, options: options).problems.filter { $0.severity == .error }
        #expect(errors.map(\.rule) == [.sentNameConflict])
        #expect(errors.map(\.message) == ["`tap` is sent as `tap`, as is the event at a.md:1: rename one"])
    }
}
