import Model
@testable import Store
import Testing

@testable import Dictionaries

private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

/// A change that is only one of form is a change.
struct UnicodeFormTests {
    private func dictionary(_ parameters: [Parameter], event: String = "show") -> EventDictionary {
        EventDictionary(
            options: DictionaryOptions(name: "shop", path: ""), version: "now", common: parameters,
            categories: [
                DefinitionCategory(
                    name: "a", title: nil, description: "", parameters: [],
                    definitions: [
                        Definition(
                            key: EventKey(category: "a", name: event), description: "", isObsolete: false,
                            parameters: [], line: 1)
                    ])
            ])
    }

    private func past(_ dictionary: EventDictionary) -> ChangeEffect.Past {
        let record = DictionaryVersion(
            version: dictionary.version, loadedMicroseconds: 1, lastLoadedMicroseconds: 1, definitions: 1,
            key: dictionary.options.layout.key, layout: dictionary.options.layoutText, hasFiles: true)
        return ChangeEffect.Past(dictionary, record: record, now: dictionary)
    }

    private func stored(_ resolution: Resolution, _ event: String = "show") -> StoredKind {
        StoredKind(
            subsystem: "x", category: "", resolution: resolution,
            kind: EventKind(
                dictionary: "shop", definitionsVersion: "then", key: EventKey(category: "a", name: event)))
    }

    @Test func `a name that became private in another form concerns what was stored`() {
        let before = dictionary([Parameter(name: composed, type: .string(), privacy: .private)])
        let now = dictionary([
            Parameter(name: composed, type: .string(), privacy: .private),
            Parameter(name: decomposed, type: .string(), privacy: .private),
        ])
        #expect(ChangeEffect([now], privacy: .protect).concerns(stored(.malformed), past: past(before)))
        #expect(!ChangeEffect([before], privacy: .protect).concerns(stored(.malformed), past: past(before)))
    }

    @Test func `a definition that came in another form concerns its own events`() {
        let before = dictionary([], event: "show")
        let effect = ChangeEffect([dictionary([], event: composed)], privacy: .protect)
        #expect(effect.concerns(stored(.undefined, composed), past: past(before)))
        #expect(!effect.concerns(stored(.undefined, decomposed), past: past(before)))
    }

    @Test func `allowed values in another form are other rules`() {
        func values(_ value: String) -> EventDictionary {
            dictionary([Parameter(name: "kind", type: .string(), allowedValues: [value])])
        }
        let effect = ChangeEffect([values(decomposed)], privacy: .protect)
        #expect(effect.concerns(stored(.violating), past: past(values(composed))))
        #expect(!effect.concerns(stored(.violating), past: past(values(decomposed))))
    }
}
