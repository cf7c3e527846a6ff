/// Which names a dictionary protects: what its definitions say, what earlier ones said, and what files in error seem to
/// say.
extension EventDictionary {
    /// The names whose values are replaced in every payload, wherever they stand. Where two disagree, the stricter one
    /// holds.
    package var protectedNames: [ExactString: Privacy] { confirmedNames.merging(suspected, uniquingKeysWith: max) }

    /// Those that a definition protects, or did when the dictionary last had one.
    package var confirmedNames: [ExactString: Privacy] {
        inherited.merging(namesProtectedByDefinitions, uniquingKeysWith: max)
    }

    /// Goes on protecting what was protected before, as long as nobody has said anew what a name's values are: a file
    /// that is away for a moment, or half written, does not make them public.
    ///
    /// What makes a name public is a parameter without annotation, at a place where `previous` had none such. One that
    /// stood there before, without a word on privacy because the other place said it, does not.
    package mutating func inherit(from previous: EventDictionary) {
        let own = namesProtectedByDefinitions
        let open = previous.confirmedNames.filter { own[$0.key] == nil }
        guard !open.isEmpty else { return inherited = [:] }
        let names = Set(open.keys)
        let before = previous.places(ofUnprotected: names)
        let made = Set(exact: places(ofUnprotected: names).subtracting(before).map(\.name))
        let kept = open.filter { !made.contains($0.key) }.sorted { $0.key < $1.key }
        inherited = Dictionary(
            uniqueKeysWithValues: kept.prefix(Self.maximumInherited).map { ($0.key, $0.value) })
    }

    /// Years of names that went, each of them with its definition.
    private static let maximumInherited = 10_000

    /// Each with the strictest that is said of it.
    private var namesProtectedByDefinitions: [ExactString: Privacy] {
        var names: [ExactString: Privacy] = [:]
        forEachParameter { parameter in
            guard parameter.privacy != .public else { return }
            names[parameter.name] = max(names[parameter.name] ?? .public, parameter.privacy)
        }
        return names
    }

    private struct NamedPlace: Hashable {
        @Exact var name: String
        /// `nil` for common parameters.
        @Exact var category: String?
        /// `nil` for those of a category.
        @Exact var event: String?
    }

    private func places(ofUnprotected names: Set<ExactString>) -> Set<NamedPlace> {
        var places: Set<NamedPlace> = []
        func add(_ parameters: [Parameter], _ category: String? = nil, _ event: String? = nil) {
            for parameter in parameters where parameter.privacy == .public && names.contains(parameter.name) {
                places.insert(NamedPlace(name: parameter.name, category: category, event: event))
            }
        }
        add(common)
        for category in categories {
            add(category.parameters, category.name)
            for definition in category.definitions { add(definition.parameters, category.name, definition.key.name) }
        }
        return places
    }
}

extension Privacy: Comparable {
    private var strength: Int {
        switch self {
        case .public: 0
        case .hash: 1
        case .private: 2
        }
    }

    package static func < (one: Privacy, other: Privacy) -> Bool { one.strength < other.strength }
}
