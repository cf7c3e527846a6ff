import Model

/// The obsolete parameters of a dictionary, and the obsolete members of objects, by the paths that findings have.
struct ObsoleteParameters {
    /// In place of a name: each event of the category, or with it twice, each event of the dictionary.
    static let everyName = "*"

    /// An obsolete parameter, or an obsolete member within a parameter.
    private struct Found {
        @Exact var parameter: String
        /// Where payloads may have it. The first is where the dictionary's own layout has it.
        var paths: [ExactString]
    }

    private var search = MemberSearch(entersArrays: true, where: \.isObsolete)
    /// Where payloads have the object with the parameters of events.
    private let places: [MemberPath?]
    private var common: [Found] = []
    private var byCategory: [ExactString: [Found]] = [:]
    private var namesOfCategory: [ExactString: Set<ExactString>] = [:]

    init(_ dictionary: EventDictionary) {
        let layouts = dictionary.options.layouts
        places = layouts.map(\.parametersAt).firstOfEach
        common = found(in: dictionary.common, at: layouts.flatMap(\.commonPlaces).firstOfEach)
        for category in dictionary.categories {
            byCategory[ExactString(category.name), default: []] += found(in: category.parameters, at: places)
            namesOfCategory[ExactString(category.name)] = Set(exact: category.parameters.map(\.name))
        }
    }

    private mutating func found(in parameters: [Parameter], at places: [MemberPath?]) -> [Found] {
        // Of thousands of definitions, most have nothing that is obsolete.
        guard parameters.contains(where: \.mayHaveObsolete) else { return [] }
        return parameters.firstOfEachName.flatMap { parameter in
            search.paths(in: parameter).map { path in
                Found(
                    parameter: parameter.name,
                    paths: places.map { ExactString(MemberPath(path.text, in: $0).text) })
            }
        }
    }

    /// The paths of each of an event's own ones.
    mutating func own(_ definition: Definition) -> [[ExactString]] {
        found(in: definition.parameters, at: places).map(\.paths)
    }

    /// The part that stands for all events that share a parameter; `nil` if it is not a shared one.
    /// - Parameters:
    ///   - category: of the event that has it.
    ///   - definition: of that event; `nil` if it has none any more.
    func shared(_ path: String, in category: String, _ definition: Definition?) -> DefinedPart? {
        let path = ExactString(path)
        let names = names(in: category, definition)
        func isHere(_ found: Found, beside names: Set<ExactString>) -> Bool {
            found.paths.contains(path) && !names.contains(found.parameter)
        }
        if let found = byCategory[category]?.first(where: { isHere($0, beside: names.own) }) {
            return Self.part(found, category)
        }
        return common.first { isHere($0, beside: names.beforeCommon) }.map { Self.part($0, Self.everyName) }
    }

    /// Returns the names of an event's own parameters, which count before those of its category, and the names that
    /// count before common ones.
    private func names(
        in category: String, _ definition: Definition?
    ) -> (own: Set<ExactString>, beforeCommon: Set<ExactString>) {
        let own = Set(exact: definition?.parameters.map(\.name) ?? [])
        return (own, places == [nil] ? own.union(namesOfCategory[category] ?? []) : [])
    }

    /// The parts that stand for all events that share a parameter, of those that any of these definitions has.
    func shared(by definitions: [Definition]) -> Set<DefinedPart> {
        var parts: Set<DefinedPart> = []
        var (rest, restOfCategory) = (common, byCategory)
        for definition in definitions where !rest.isEmpty || restOfCategory[definition.key.category]?.isEmpty == false {
            let category = definition.key.category
            let names = names(in: category, definition)
            restOfCategory[category]?.removeAll { found in
                guard !names.own.contains(found.parameter) else { return false }
                parts.insert(Self.part(found, category))
                return true
            }
            rest.removeAll { found in
                guard !names.beforeCommon.contains(found.parameter) else { return false }
                parts.insert(Self.part(found, Self.everyName))
                return true
            }
        }
        return parts
    }

    private static func part(_ found: Found, _ category: String) -> DefinedPart {
        DefinedPart(key: EventKey(category: category, name: everyName), parameter: found.paths.first?.text)
    }
}

extension Parameter {
    /// Whether it is obsolete, or may have something obsolete in it.
    fileprivate var mayHaveObsolete: Bool {
        switch type {
        case .array, .custom: true
        default: isObsolete
        }
    }
}

extension [MemberPath?] {
    fileprivate var firstOfEach: [MemberPath?] {
        var known: Set<MemberPath?> = []
        return filter { known.insert($0).inserted }
    }
}
