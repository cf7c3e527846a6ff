extension EventDictionary {
    /// Returns where payloads have parameters with a role: names, or paths such as `device.id`. The store keeps an array as
    /// one value, so there are none within arrays.
    package func paths(of role: ParameterRole) -> Set<ExactString> {
        var search = RoleSearch(role: role)
        var own: Set<ExactString> = []
        for category in categories {
            own.formUnion(search.paths(in: category.parameters))
            for definition in category.definitions { own.formUnion(search.paths(in: definition.parameters)) }
        }
        return options.layouts.reduce(into: search.paths(in: common)) { paths, layout in
            guard let object = layout.parametersAt else { return paths.formUnion(own) }
            paths.formUnion(own.map { ExactString(object.member($0.text).text) })
        }
    }
}

private struct RoleSearch {
    let role: ParameterRole
    /// The paths in the types that were searched.
    private var ofType: [ObjectIdentifier: Set<ExactString>] = [:]

    /// The most paths in one type. Types within types can make many of a few.
    private static let maximumPaths = 100

    init(role: ParameterRole) {
        self.role = role
    }

    mutating func paths(in parameters: [Parameter]) -> Set<ExactString> {
        var paths: Set<ExactString> = []
        for parameter in parameters {
            if parameter.role == role { paths.insert(parameter.name) }
            guard let object = parameter.type.object else { continue }
            for path in self.paths(in: object) where paths.count < Self.maximumPaths {
                paths.insert("\(parameter.name).\(path)")
            }
        }
        return paths
    }

    private mutating func paths(in object: ObjectType) -> Set<ExactString> {
        if let known = ofType[ObjectIdentifier(object)] { return known }
        let paths = paths(in: object.members)
        ofType[ObjectIdentifier(object)] = paths
        return paths
    }
}
