import Model
import Resolve
import Testing

/// Expects what a generated program sent: five payloads of every event that is not obsolete, all of them resolved.
func expectResolved(_ lines: [String], of dictionary: EventDictionary) {
    var resolver = Resolver(dictionary)
    let usable = dictionary.categories.flatMap(\.definitions).filter { !$0.isObsolete }
    #expect(lines.count == usable.count * 5)
    for (index, line) in lines.enumerated() {
        let definition = usable[index % usable.count]
        let outcome = resolver.verdict(on: line, dictionary.keyFields(of: definition))
        #expect(outcome.resolution == .resolved && outcome.findings == nil, "\(line) \(outcome)")
        #expect(outcome.kind.key == definition.key)
    }
}
