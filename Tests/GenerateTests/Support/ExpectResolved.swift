import Model
import Resolve
import Testing

/// Expects what a generated program sent: five payloads of every event that is not obsolete, all of them resolved.
func expectResolved(_ lines: [String], of dictionary: EventDictionary) {
    var resolver = Resolver(dictionary)
    let usable = dictionary.categories.flatMap(\.definitions).filter { !$0.isObsolete }
    #expect(lines.count == usable.count * 5)
    var seen: Set<EventKey> = []
    for line in lines {
        let outcome = resolver.verdict(on: line)
        #expect(outcome.resolution == .resolved && outcome.findings == nil, "\(line) \(outcome)")
        outcome.kind.key.map { _ = seen.insert($0) }
    }
    #expect(seen == Set(usable.map(\.key)))
}
