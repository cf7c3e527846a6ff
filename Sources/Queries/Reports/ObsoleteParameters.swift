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

    private var search = ObsoleteSearch()
    /// Where payloads have the object with the parameters of events, and where common parameters may be.
    private let (places, commonPlaces): ([MemberPath?], [MemberPath?])
    private var common: [Found] = []
    private var byCategory: [ExactString: [Found]] = [:]
    private var namesOfCategory: [ExactString: Set<ExactString>] = [:]

    init(_ dictionary: EventDictionary) {
        let objects = dictionary.options.layouts.map(\.parametersAt)
        places = objects.firstOfEach
        commonPlaces = ([nil] + objects.flatMap { $0?.outer ?? [] }).firstOfEach
        common = found(in: dictionary.common, at: commonPlaces)
        for category in dictionary.categories {
            byCategory[ExactString(category.name), default: []] += found(in: category.parameters, at: places)
            namesOfCategory[ExactString(category.name)] = Set(exact: category.parameters.map(\.name))
        }
    }

    private mutating func found(in parameters: [Parameter], at places: [MemberPath?]) -> [Found] {
        // Of thousands of definitions, most have nothing that is obsolete.
        guard parameters.contains(where: ObsoleteSearch.mayHavePaths) else { return [] }
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
    func shared(_ path: String, in category: String) -> DefinedPart? {
        let path = ExactString(path)
        if let found = byCategory[category]?.first(where: { $0.paths.contains(path) }) {
            return Self.part(found, category)
        }
        return common.first { $0.paths.contains(path) }.map { Self.part($0, Self.everyName) }
    }

    /// The parts that stand for all events that share a parameter, of those that any of these definitions has.
    func shared(by definitions: [Definition]) -> Set<DefinedPart> {
        var parts: Set<DefinedPart> = []
        var (rest, restOfCategory) = (common, byCategory)
        for definition in definitions where !rest.isEmpty || restOfCategory[definition.key.category]?.isEmpty == false {
            let category = definition.key.category
            let own = Set(exact: definition.parameters.map(\.name))
            let names = places == [nil] ? own.union(namesOfCategory[category] ?? []) : []
            restOfCategory[category]?.removeAll { found in
                guard !own.contains(found.parameter) else { return false }
                parts.insert(Self.part(found, category))
                return true
            }
            rest.removeAll { found in
                guard !names.contains(found.parameter) else { return false }
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

/// Finds what is obsolete in parameters and their types.
private struct ObsoleteSearch {
    /// The most paths in one type. Types within types can make many of a few.
    private static let maximumPaths = 100
    /// Findings have no longer paths.
    private static let longestPath = 256

    /// The paths in the objects that were searched.
    private var ofObject: [ObjectIdentifier: [ExactString]] = [:]

    /// Whether it is obsolete, or may have something obsolete in it.
    static func mayHavePaths(_ parameter: Parameter) -> Bool {
        switch parameter.type {
        case .array, .custom: true
        default: parameter.isObsolete
        }
    }

    /// The name of a parameter if it is obsolete, and the paths of obsolete members within it: `items[].price`.
    mutating func paths(in parameter: Parameter) -> [ExactString] {
        let own = parameter.isObsolete ? [ExactString(parameter.name)] : []
        var (type, way) = (parameter.type.checked, parameter.name)
        while case .array(let element, _, _) = type {
            type = element.checked
            way += "[]"
        }
        guard let object = type.object else { return own }
        return own
            + paths(in: object).lazy.map { ExactString("\(way).\($0)") }.filter {
                $0.text.utf8.count <= Self.longestPath
            }
    }

    private mutating func paths(in object: ObjectType) -> [ExactString] {
        if let known = ofObject[ObjectIdentifier(object)] { return known }
        var paths: [ExactString] = []
        for member in object.members.firstOfEachName where paths.count < Self.maximumPaths {
            paths += self.paths(in: member).prefix(Self.maximumPaths - paths.count)
        }
        ofObject[ObjectIdentifier(object)] = paths
        return paths
    }
}

extension [MemberPath?] {
    fileprivate var firstOfEach: [MemberPath?] {
        var known: Set<MemberPath?> = []
        return filter { known.insert($0).inserted }
    }
}

extension MemberPath {
    /// The paths of the objects that contain it, from the outside in.
    fileprivate var outer: [MemberPath?] {
        let steps = steps
        return steps.indices.dropFirst().map { MemberPath(steps[..<$0].joined(separator: ".")) }
    }
}
