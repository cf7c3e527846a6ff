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
        return options.layouts.reduce(into: paths(in: common)) { paths, layout in
            guard let object = layout.parametersAt else { return paths.formUnion(own) }
            paths.formUnion(own.map { ExactString(object.member($0.text).text) })
        }
    }
}
