package import Model

/// The values that a predicate looks for, without those that names have. Whole names, of which there may be thousands, are
/// looked up; only other tests are made one by one.
package struct WantedValues {
    private struct Lookup: Hashable {
        var key: Predicate.TextKey
        var folding: CaseFolding
    }

    private let wanted: [Predicate.Wanted]
    /// The places of those that no name has had.
    private var left: Set<Int>
    /// The places of whole names, by their folded texts.
    private var names: [Lookup: [[UInt8]: [Int]]] = [:]
    private let lookups: [Lookup]
    private var tests: [(place: Int, predicate: NamePredicate)] = []

    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package init(_ wanted: [Predicate.Wanted]) throws(StoreError) {
        self.wanted = wanted
        left = Set(wanted.indices)
        for (place, value) in wanted.enumerated() {
            guard case .among(let texts, let ignoresCase) = value.test else {
                tests.append((place: place, predicate: try NamePredicate(.text(value.key, value.test))))
                continue
            }
            let lookup = Lookup(key: value.key, folding: CaseFolding(ignoresCase, for: texts.map(\.text)))
            for text in texts {
                names[lookup, default: [:]][lookup.folding.folded(Array(text.utf8)), default: []].append(place)
            }
        }
        lookups = Array(names.keys)
    }

    package var isEmpty: Bool { left.isEmpty }

    package var rest: [Predicate.Wanted] { left.sorted().map { wanted[$0] } }

    /// Removes those that a name has.
    /// - Parameter text: what `NamePredicate.isMet` takes.
    package mutating func remove(metBy text: (Predicate.TextKey) -> NamePredicate.Text) throws {
        for lookup in lookups {
            guard case .known(let name?) = text(lookup.key) else { continue }
            left.subtract(names[lookup]?.removeValue(forKey: lookup.folding.folded(Array(name.utf8))) ?? [])
        }
        for index in tests.indices.reversed() {
            guard try tests[index].predicate.isMet(by: text) == true else { continue }
            left.remove(tests.remove(at: index).place)
        }
    }
}
