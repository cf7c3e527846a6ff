/// The names that a dictionary protects, from its definitions, from its earlier versions, and from files that have
/// errors.
extension EventDictionary {
    /// The names whose values are replaced in every payload, at any depth. Where two sources disagree, the stricter one
    /// applies.
    package var protectedNames: [ExactString: Privacy] { confirmedNames.merging(suspected, uniquingKeysWith: max) }

    /// The names that a definition protects, or that an earlier version protected and none has made public since.
    package var confirmedNames: [ExactString: Privacy] {
        inherited.merging(namesProtectedByDefinitions, uniquingKeysWith: max)
    }

    /// Keeps names of the previous dictionary protected until a definition makes them public. A file that is missing
    /// for a moment, or half written, does not make them public.
    ///
    /// A name becomes public when a parameter without an annotation appears at a place where `previous` had none. A
    /// parameter that was already there without an annotation, because another place had the annotation, does not
    /// count.
    package mutating func inherit(from previous: EventDictionary) {
        let own = namesProtectedByDefinitions
        let objects = options.keyMembersOfPairs.reduce(into: Set<ExactString>()) { $0.formUnion($1.objects) }
        let open = previous.confirmedNames.filter { own[$0.key] == nil && !objects.contains($0.key) }
        guard !open.isEmpty else { return inherited = [:] }
        let names = Set(open.keys)
        let before = previous.places(ofUnprotected: names)
        let made = Set(exact: places(ofUnprotected: names).subtracting(before).map(\.name))
        let kept = open.filter { !made.contains($0.key) }.sorted { $0.key < $1.key }
        inherited = Dictionary(
            uniqueKeysWithValues: kept.prefix(Self.maximumInherited).map { ($0.key, $0.value) })
    }

    /// Enough for the names that are removed over years; each of them once had a definition.
    private static let maximumInherited = 10_000

    /// Looks at all parameters, which takes a millisecond for thousands of definitions.
    func protectedNamesOfParameters() -> [ExactString: Privacy] {
        var names: [ExactString: Privacy] = [:]
        forEachParameter { parameter in
            guard parameter.privacy != .public else { return }
            names[parameter.name] = max(names[parameter.name] ?? .public, parameter.privacy)
        }
        return names
    }

    private struct NamedPlace: Hashable {
        @Exact var name: String
        var owner: Owner
    }

    private enum Owner: Hashable {
        case common
        case category(ExactString)
        case event(EventKey)
        case type(ExactString)
    }

    private func places(ofUnprotected names: Set<ExactString>) -> Set<NamedPlace> {
        var places: Set<NamedPlace> = []
        func add(_ parameters: [Parameter], _ owner: Owner) {
            for parameter in parameters where parameter.privacy == .public && names.contains(parameter.name) {
                places.insert(NamedPlace(name: parameter.name, owner: owner))
            }
        }
        add(common, .common)
        for type in types { add(type.members, .type(ExactString(type.name))) }
        for category in categories {
            add(category.parameters, .category(ExactString(category.name)))
            for definition in category.definitions { add(definition.parameters, .event(definition.key)) }
        }
        return places
    }
}

extension Privacy: Comparable {
    /// Whether one shows more of a value.
    package static func < (one: Privacy, other: Privacy) -> Bool {
        switch (one, other) {
        case (.public, .hash), (.public, .private), (.hash, .private): true
        default: false
        }
    }
}

extension [EventDictionary] {
    /// The names of parameters whose values are stored as hashes.
    package var hashedNames: Set<ExactString> {
        Set(lazy.flatMap(\.protectedNames).filter { $0.value == .hash }.map(\.key))
    }
}
