extension EventDictionary {
    /// Returns where payloads have the parameters with a name: the name, or its path in the object that the settings say.
    package func paths(ofParameter name: ExactString) -> Set<ExactString> {
        var paths: Set<ExactString> = []
        if common.contains(where: { ExactString($0.name) == name }) { paths.insert(name) }
        let isOwn = categories.contains { category in
            category.parameters.contains { ExactString($0.name) == name }
                || category.definitions.contains { $0.parameters.contains { ExactString($0.name) == name } }
        }
        guard isOwn else { return paths }
        for layout in options.layouts {
            paths.insert(layout.parametersAt.map { ExactString($0.member(name.text).text) } ?? name)
        }
        return paths
    }
}
