import Model
import Testing

/// Which names a dictionary still protects.
struct ProtectionTests {
    /// - Parameter events: `category.event`, with its parameters.
    private func dictionary(_ events: KeyValuePairs<String, [String: Privacy]>) -> EventDictionary {
        let categories = events.map { key, parameters in
            let names = key.split(separator: ".").map(String.init)
            let definition = Definition(
                key: EventKey(category: names[0], name: names[1]), description: "", isObsolete: false,
                parameters: parameters.map { Parameter(name: $0, type: .string(), privacy: $1) }, line: 1)
            return DefinitionCategory(
                name: names[0], title: nil, description: "", parameters: [], definitions: [definition])
        }
        return EventDictionary(
            options: DictionaryOptions(name: "shop", path: "/"), version: "v", common: [], categories: categories)
    }

    private func inherited(_ now: EventDictionary, from before: EventDictionary...) -> [ExactString: Privacy] {
        var last = before[0]
        for var next in before.dropFirst() + [now] {
            next.inherit(from: last)
            last = next
        }
        return last.inherited
    }

    @Test func `what no definition has any more stays protected`() {
        let before = dictionary(["a.sign_up": ["email": .private, "user": .hash, "plan": .public]])
        let without = dictionary(["b.show": ["item": .public]])
        #expect(inherited(without, from: before) == ["email": .private, "user": .hash])
        #expect(inherited(without, from: before, without, without) == ["email": .private, "user": .hash])
        #expect(inherited(before, from: before, without) == [:])
    }

    @Test func `a parameter that is written without the annotation makes a name public`() {
        let before = dictionary(["a.sign_up": ["email": .private]])
        let open = dictionary(["a.sign_up": ["email": .public]])
        #expect(inherited(open, from: before) == [:])
        #expect(inherited(dictionary(["b.show": ["email": .public]]), from: before) == [:])
        #expect(inherited(open, from: before, dictionary(["b.show": [:]])) == [:])
    }

    @Test func `another annotation is what holds from then on`() {
        let before = dictionary(["a.sign_up": ["email": .private]])
        let now = dictionary(["a.sign_up": ["email": .hash]])
        #expect(inherited(now, from: before) == [:])
        #expect(now.protectedNames == ["email": .hash])
    }

    @Test func `a parameter that was there all the time, and left it to another to say, does not`() {
        let before = dictionary(["a.sign_up": ["email": .private], "b.show": ["email": .public]])
        let without = dictionary(["b.show": ["email": .public]])
        #expect(inherited(without, from: before) == ["email": .private])
        #expect(inherited(without, from: before, without) == ["email": .private])
        let other = dictionary(["b.show": ["email": .public], "c.tap": ["email": .public]])
        #expect(inherited(other, from: before, without) == [:])
    }

    @Test func `what files in error seem to protect is not inherited`() {
        var before = dictionary(["a.sign_up": ["email": .hash]])
        before.suspected = ["email": .private, "phone": .private]
        #expect(before.protectedNames == ["email": .private, "phone": .private])
        #expect(before.confirmedNames == ["email": .hash])
        #expect(inherited(dictionary(["b.show": [:]]), from: before) == ["email": .hash])
    }
}
