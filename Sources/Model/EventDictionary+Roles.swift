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
