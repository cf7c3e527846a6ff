extension EventDictionary {
    /// Returns where payloads have the parameters with a name: the name, or its path in the object that the settings
    /// say, or in one that contains it.
    package func paths(ofParameter name: ExactString) -> Set<ExactString> {
        let isCommon = common.contains { ExactString($0.name) == name }
        let isOwn = categories.contains { category in
            category.parameters.contains { ExactString($0.name) == name }
                || category.definitions.contains { $0.parameters.contains { ExactString($0.name) == name } }
        }
        return options.layouts.reduce(into: []) { paths, layout in
            if isCommon { paths.formUnion(layout.places(ofCommonParameter: name.text).map { ExactString($0.text) }) }
            if isOwn { paths.insert(ExactString(layout.place(ofParameter: name.text).text)) }
        }
    }

    /// The names of parameters, and of what is in their objects, which predicates can ask for: `device`, `device.os`. Types
    /// within types can make any number of a few, so some are left out.
    package var parameterNames: Set<ExactString> {
        var names = ParameterNames()
        names.add(common)
        for category in categories {
            names.add(category.parameters)
            for definition in category.definitions { names.add(definition.parameters) }
        }
        return names.names
    }
}

private struct ParameterNames {
    private static let (most, deepest) = (20_000, 8)

    private(set) var names: Set<ExactString> = []
    /// Objects that were looked at, by the path to them.
    private var known: [ExactString: Set<ObjectIdentifier>] = [:]

    mutating func add(_ parameters: [Parameter], in object: MemberPath? = nil, depth: Int = 0) {
        for parameter in parameters where names.count < Self.most {
            let path = MemberPath(parameter.name, in: object)
            names.insert(ExactString(path.text))
            guard depth < Self.deepest, let type = parameter.type.object,
                known[ExactString(path.text), default: []].insert(ObjectIdentifier(type)).inserted
            else { continue }
            add(type.members, in: path, depth: depth + 1)
        }
    }
}

extension EventDictionary {
    /// Returns where payloads have parameters with a role: names, or paths such as `device.id`. The store keeps an array as
    /// one value, so there are none within arrays.
    package func paths(of role: ParameterRole) -> Set<ExactString> {
        var search = MemberSearch(entersArrays: false) { $0.role == role }
        func paths(in parameters: [Parameter]) -> Set<ExactString> {
            parameters.reduce(into: []) { $0.formUnion(search.paths(in: $1)) }
        }
        var own: Set<ExactString> = []
        for category in categories {
            own.formUnion(paths(in: category.parameters))
            for definition in category.definitions { own.formUnion(paths(in: definition.parameters)) }
        }
        let shared = paths(in: common)
        return options.layouts.reduce(into: []) { paths, layout in
            let places =
                own.map { layout.place(ofParameter: $0.text) }
                + shared.flatMap { layout.places(ofCommonParameter: $0.text) }
            paths.formUnion(places.map { ExactString($0.text) })
        }
    }
}
