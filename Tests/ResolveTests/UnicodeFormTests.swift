import JSON
import Model
import Resolve
import TestSupport
import Testing

private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

/// Texts that are equal by Unicode and differ in bytes are two texts.
struct UnicodeFormTests {
    private func dictionary(
        _ name: String, subsystem: String = "*", events: [String] = [], parameters: [Parameter] = []
    ) -> EventDictionary {
        let definitions = events.map {
            Definition(
                key: EventKey(category: "a", name: $0), description: "", isObsolete: false, parameters: parameters,
                line: 1)
        }
        return EventDictionary(
            options: DictionaryOptions(name: name, path: "", subsystem: Glob(subsystem)), version: "v", common: [],
            categories: [
                DefinitionCategory(name: "a", title: nil, description: "", parameters: [], definitions: definitions)
            ])
    }

    private func resolver(_ dictionaries: [EventDictionary]) -> Resolver {
        Resolver(dictionaries: dictionaries, protection: Protection(mode: .protect, key: Array("secret".utf8)))
    }

    private func outcome(_ payload: String, _ resolver: inout Resolver, from subsystem: String = "x")
        -> Resolver.Outcome
    {
        Array(payload.utf8).withUnsafeBytes { resolver.resolve($0, from: .sample(subsystem: subsystem)) }
    }

    /// What would be stored.
    private func text(_ outcome: Resolver.Outcome, of payload: String) -> String {
        outcome.payload.map { String(decoding: $0, as: UTF8.self) } ?? payload
    }

    @Test func `a subsystem in another form does not take the dictionary away from the right one`() {
        let email = Parameter(name: "email", type: .string(), privacy: .private)
        let payload = #"{"event_category":"a","event_name":"event","email":"a@b.example"}"#
        for first in [composed, decomposed] {
            var resolver = resolver([dictionary("shop", subsystem: composed, events: ["event"], parameters: [email])])
            _ = outcome(payload, &resolver, from: first)
            let right = outcome(payload, &resolver, from: composed)
            #expect(right.resolution == .resolved && right.kind.dictionary == "shop")
            #expect(!text(right, of: payload).contains("a@b.example"))
            let other = outcome(payload, &resolver, from: decomposed)
            #expect(other.resolution == .undefined && other.kind.dictionary == nil)
        }
    }

    @Test func `each form of a name is an event of its own`() {
        var resolver = resolver([dictionary("shop", events: [composed])])
        func resolution(_ name: String) -> Resolution {
            outcome(#"{"event_category":"a","event_name":"\#(name)"}"#, &resolver).resolution
        }
        #expect(resolution(composed) == .resolved && resolution(decomposed) == .undefined)
        #expect(resolution("caf\\u00e9") == .resolved && resolution("cafe\\u0301") == .undefined)
    }

    @Test func `unknown names in two forms are two kinds`() {
        var resolver = resolver([dictionary("shop")])
        let kinds = [composed, decomposed].map {
            outcome(#"{"event_category":"a","event_name":"\#($0)"}"#, &resolver).kind
        }
        #expect(kinds[0] != kinds[1])
        #expect(kinds.map { $0.key.map { Array($0.name.utf8) } } == [Array(composed.utf8), Array(decomposed.utf8)])
    }

    @Test func `a parameter, its values and its privacy are those of its bytes`() {
        let parameters = [
            Parameter(name: composed, type: .string(), isOptional: true, privacy: .private),
            Parameter(name: decomposed, type: .string(), isOptional: true, privacy: .hash),
            Parameter(name: "kind", type: .string(), isOptional: true, allowedValues: [composed]),
        ]
        var resolver = resolver([dictionary("shop", events: ["event"], parameters: parameters)])
        func resolved(_ members: String) -> (Resolver.Outcome, String) {
            let payload = #"{"event_category":"a","event_name":"event",\#(members)}"#
            let outcome = outcome(payload, &resolver)
            return (outcome, text(outcome, of: payload))
        }
        let (both, stored) = resolved(#""\#(composed)":"one","\#(decomposed)":"two""#)
        #expect(both.resolution == .resolved && both.findings == nil)
        #expect(!stored.contains("one") && !stored.contains("two") && stored.contains("<hash:"))
        #expect(resolved(#""kind":"\#(composed)""#).0.resolution == .resolved)
        let (wrong, _) = resolved(#""kind":"\#(decomposed)""#)
        #expect(wrong.findings?.violations.map(\.rule) == [.value])
    }

    @Test func `two keys in two forms are no duplicate`() {
        var resolver = resolver([])
        #expect(outcome(#"{"\#(composed)":1,"\#(decomposed)":2}"#, &resolver).findings == nil)
        #expect(outcome(#"{"\#(composed)":1,"\#(composed)":2}"#, &resolver).findings?.warnings.count == 1)
    }

    /// In any order, each form of a name is what a resolver that has seen nothing else says it is.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `what came before in another form never matters`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let forms = [
            "e\u{301}", "\u{E9}", "\u{212B}", "\u{C5}", "A\u{30A}", "k", "\u{212A}", "K", "\u{AC00}",
            "\u{1100}\u{1161}",
        ]
        func word() -> String {
            (0..<Int.random(in: 1...2, using: &random)).map { _ in forms.randomElement(using: &random) ?? "" }.joined()
        }
        let dictionaries = (0..<4).map { number in
            dictionary(
                "d\(number)", subsystem: word(), events: [word(), word()],
                parameters: [Parameter(name: word(), type: .string(), isOptional: true, privacy: .private)])
        }
        var resolver = resolver(dictionaries)
        for _ in 0..<300 {
            let (subsystem, name, key) = (word(), word(), word())
            let payload = #"{"event_category":"a","event_name":"\#(name)","\#(key)":"value"}"#
            var fresh = self.resolver(dictionaries)
            let (one, other) = (outcome(payload, &resolver, from: subsystem), outcome(payload, &fresh, from: subsystem))
            #expect(one == other, "\(subsystem.unicodeScalars.map(\.value)) \(payload)")
            #expect(one.kind.key.map { Array($0.name.utf8) } == Array(name.utf8))
        }
    }
}
