import Definitions
import JSON
import Model
import Resolve
import TestSupport
import Testing

struct ResolverTests {
    static func dictionary(
        _ text: String, named name: String = "shop", subsystem: String = "*", category: String = "*"
    ) throws -> EventDictionary {
        let options = DictionaryOptions(
            name: name, path: "definitions", subsystem: Glob(subsystem), category: Glob(category))
        let file = DefinitionFile(name: "a.md", bytes: Array(text.utf8))
        return try DictionaryParser.parse([file], options: options).dictionary
    }

    private func resolve(
        _ payload: [UInt8], _ resolver: inout Resolver, from origin: Origin = .sample()
    ) -> Resolver.Outcome {
        payload.withUnsafeBytes { resolver.resolve($0, from: origin) }
    }

    private let text = "## event\n\nText.\n"
    private let event = Array(#"{"event_category":"a","event_name":"event"}"#.utf8)

    @Test func `the first dictionary whose globs fit serves an origin`() throws {
        var resolver = Resolver(
            dictionaries: [
                try Self.dictionary(text, named: "one", subsystem: "com.example.*", category: "ActivityLog"),
                try Self.dictionary(text, named: "two", subsystem: "com.*"),
                try Self.dictionary(text, named: "three", subsystem: "com.*"),
            ], protection: .reveal)
        let served = [
            Origin.sample(), .sample(category: "Other"), .sample(subsystem: "com.other"), .sample(subsystem: "org.x"),
            .sample(),
        ].map { resolve(event, &resolver, from: $0).kind.dictionary }
        #expect(served == ["one", "two", "two", nil, "one"])
    }

    @Test func `an event whose definition has an error is undefined and says where; others have no reason`() throws {
        var dictionary = try Self.dictionary(text)
        dictionary.broken = [EventKey(category: "A 1", name: "tap"): "a.md:12"]
        var resolver = Resolver(dictionaries: [dictionary], protection: .reveal)
        func outcome(_ category: String, _ name: String) -> Resolver.Outcome {
            resolve(Array(#"{"event_category":"\#(category)","event_name":"\#(name)"}"#.utf8), &resolver)
        }
        let broken = outcome("A 1", "tap")
        #expect(broken.resolution == .undefined)
        #expect(broken.findings?.reason == "its definition has an error: a.md:12")
        #expect(broken.kind.key == EventKey(category: "A 1", name: "tap"))
        #expect(broken.kind.definitionsVersion == dictionary.version)
        #expect(outcome("A 1", "tip").findings == nil)
        #expect(outcome("a", "event").resolution == .resolved)
    }

    @Test func `of several definitions with an error that have a name, the first is the reason`() throws {
        var dictionary = try Self.dictionary(text)
        dictionary.options.layout = PayloadLayout(category: .definingFile, name: .member(MemberPath("event")))
        for category in "abcdefghijkl" {
            dictionary.broken[EventKey(category: "\(category)", name: "tap")] = "\(category).md:3"
        }
        var resolver = Resolver(dictionaries: [dictionary], protection: .reveal)
        let outcome = resolve(Array(#"{"event":"tap"}"#.utf8), &resolver)
        #expect(outcome.findings?.reason == "its definition has an error: a.md:3")
        #expect(dictionary.fault(of: EventKey(category: "", name: "tap")) == outcome.findings?.reason)
    }

    @Test func `events of one definition share one kind, and so do those of one unknown key`() throws {
        var resolver = Resolver(dictionaries: [try Self.dictionary(text)], protection: .reveal)
        #expect(resolve(event, &resolver).kind === resolve(event, &resolver).kind)
        let unknown = Array(#"{"event_category":"a","event_name":"unknown"}"#.utf8)
        let kind = resolve(unknown, &resolver).kind
        #expect(kind === resolve(unknown, &resolver).kind)
        #expect(kind.dictionary == "shop" && kind.key == EventKey(category: "a", name: "unknown"))
        #expect(kind.definitionsVersion == resolve(event, &resolver).kind.definitionsVersion)
    }

    @Test func `endless unknown names and origins are forgotten, not kept`() throws {
        var resolver = Resolver(dictionaries: [try Self.dictionary(text)], protection: .reveal)
        let first = Array(#"{"event_category":"a","event_name":"n0"}"#.utf8)
        let kind = resolve(first, &resolver).kind
        for number in 0..<5000 {
            let payload = Array(#"{"event_category":"a","event_name":"n\#(number)"}"#.utf8)
            let outcome = resolve(payload, &resolver, from: .sample(subsystem: "s\(number)"))
            #expect(outcome.kind.key?.name == "n\(number)")
        }
        #expect(resolve(first, &resolver).kind !== kind)
        #expect(resolve(first, &resolver).kind == kind)
    }

    @Test func `a very long unknown name is cut in its key, and whole in the payload`() throws {
        var resolver = Resolver(dictionaries: [], protection: .reveal)
        let name = String(repeating: "n", count: 100_000)
        let outcome = resolve(Array(#"{"event_category":"a","event_name":"\#(name)"}"#.utf8), &resolver)
        #expect(outcome.kind.key?.name == name.prefix(256) + "…")
        #expect(outcome.payload == nil)
    }

    @Test func `a batch keeps its bytes, gaps, progress and counts`() throws {
        var resolver = Resolver(dictionaries: [try Self.dictionary(text)], protection: .reveal)
        let origin = Origin.sample()
        let entry = Entry(
            origin: origin, level: .notice, pid: 7, seqnum: 9, monotonicMicroseconds: 10, realtimeMicroseconds: 11,
            entryHash: 12, payload: 3..<3 + event.count)
        let plain = Entry(
            origin: origin, level: .notice, pid: nil, seqnum: 10, monotonicMicroseconds: 10, realtimeMicroseconds: 11,
            entryHash: 12, payload: 0..<3)
        var batch = EntryBatch(
            bytes: Array("abc".utf8) + event, entries: [entry, plain], entriesRead: 40, reachedEnd: true)
        batch.progress.startMicroseconds = 5
        let resolved = resolver.resolve(batch)
        #expect(resolved.bytes == batch.bytes && resolved.progress == batch.progress)
        #expect(resolved.entriesRead == 40 && resolved.reachedEnd)
        #expect(resolved.events.map(\.resolution) == [.resolved, .plain])
        #expect(resolved.events.map(\.entry.cursor) == [entry.cursor, plain.cursor])
        #expect(resolved.events.allSatisfy { $0.findings == nil })
    }

    @Test func `an empty batch only says how far it was read`() {
        var resolver = Resolver(dictionaries: [], protection: .reveal)
        let resolved = resolver.resolve(EntryBatch(entriesRead: 3))
        #expect(resolved.events.isEmpty && resolved.entriesRead == 3)
    }

    @Test func `findings never hold a value`() throws {
        let text = """
            ## event

            - i: !smallint
            - s: !string 4
            - d: !date
            - t: !timestamp
            - r: !real
            - c: C
            - b: !boolean
            """
        var resolver = Resolver(dictionaries: [try Self.dictionary(text)], protection: .reveal)
        let payload = #"""
            {"event_category":"a","event_name":"event","i":987654321,"s":"secret987654321","d":"secret",
             "t":"2026-99-99","r":1e987,"c":{"secret":1},"b":"secret","unknown":"secret"}
            """#
        let outcome = resolve(Array(payload.utf8), &resolver)
        let violations = try #require(outcome.findings?.violations)
        #expect(violations.count == 8)
        for violation in violations {
            for secret in ["secret", "987", "99"] {
                #expect(!violation.found.contains(secret) && !violation.expected.contains(secret))
            }
        }
    }

    @Test func `a payload of endless unknown keys gives a bounded list that says so`() throws {
        var resolver = Resolver(dictionaries: [try Self.dictionary(text)], protection: .reveal)
        let members = (0..<10_000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
        let payload = #"{"event_category":"a","event_name":"event",\#(members)}"#
        let findings = try #require(resolve(Array(payload.utf8), &resolver).findings)
        #expect(findings.violations.count == 100)
        #expect(findings.reason == "9900 more violations or warnings are not listed")
    }

    @Test func `a payload of endless equal keys is one warning`() throws {
        var resolver = Resolver(dictionaries: [], protection: .reveal)
        let payload = "{" + String(repeating: #""k":1,"#, count: 20_000) + #""k":2}"#
        let outcome = resolve(Array(payload.utf8), &resolver)
        #expect(outcome.resolution == .unkeyed)
        #expect(outcome.findings == Findings(warnings: [.duplicateKey("k")]))
    }

    @Test func `a payload is resolved as usual if a field of its sender was cut, which is a warning`() throws {
        var resolver = Resolver(dictionaries: [], protection: .reveal)
        let payload = Array(#"{"event_category":"a","event_name":"b"}"#.utf8)
        let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: .sample(), flaws: .senderCut) }
        #expect(outcome.resolution == .undefined)
        #expect(outcome.findings == Findings(warnings: [.senderCut]))
        let stored = Event(
            id: 1, origin: .sample(), level: .notice, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: outcome.resolution, kind: outcome.kind,
            findings: outcome.findings, payload: payload)
        #expect(resolver.reprocess(stored) == outcome)
    }

    @Test func `a MESSAGE that stands in for the payload's own field is flagged, also when it is reprocessed`()
        throws
    {
        var resolver = Resolver(dictionaries: [try Self.dictionary(text)], protection: .reveal)
        let line = Array("GET / 200".utf8)
        let outcome = line.withUnsafeBytes { resolver.resolve($0, from: .sample(), flaws: .otherField) }
        #expect(outcome.resolution == .plain)
        #expect(outcome.findings == Findings(warnings: [.payloadField]))
        let stored = Event(
            id: 1, origin: .sample(), level: .notice, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1, entryHash: 1, resolution: outcome.resolution, kind: outcome.kind,
            findings: outcome.findings, payload: line)
        #expect(resolver.reprocess(stored) == outcome)
    }
}
