package import Model

/// Writes code for the events of a dictionary. The same dictionary and templates give the same bytes in every run.
package struct Generator: Sendable {
    private let templates: TemplateSet

    package init(_ templates: TemplateSet) {
        self.templates = templates
    }

    /// Returns everything that is generated from a dictionary, sorted by path.
    /// - Throws: `GenerateError` when a template omits the line by which generated files are recognized, and when there
    ///   is no code for a type, or for where payloads have their parts.
    package func files(for dictionary: EventDictionary) throws(GenerateError) -> [GeneratedFile] {
        let mark = GeneratedMark(of: templates.name, from: dictionary.options.name)
        let tree = try TreeBuilder.tree(
            of: dictionary, for: templates.language,
            header: templates.language.dialect.comment(mark.header).joined(separator: " "))
        if templates.writePayloads, let fault = tree.writingFault { throw fault }
        var paths = FilePaths()
        var files: [GeneratedFile] = []
        for output in templates.outputs {
            for place in Place.all(of: output.pattern.scope, in: tree) {
                let text = try templates.render(output, place)
                guard case .own = mark.finding(in: text.utf8) else {
                    throw GenerateError(
                        .templates,
                        "\(output.place): begin what it makes with a comment of `{{header}}` in the first line, by"
                            + " which the file is known to be generated")
                }
                let path = paths.take(output.pattern.path(category: place.category, event: place.event))
                files.append(GeneratedFile(path: path, text: text))
            }
        }
        return files.sorted { $0.path < $1.path }
    }
}

/// Makes paths that differ not only in upper and lower case, which some file systems ignore.
private struct FilePaths {
    private var taken: Set<String> = []

    mutating func take(_ path: String) -> String {
        var unique = path
        var number = 2
        while !taken.insert(unique.lowercased()).inserted {
            let name = path.lastIndex(of: "/").map { path.utf8.index(after: $0) } ?? path.startIndex
            let dot = path[name...].firstIndex(of: ".") ?? path.endIndex
            unique = "\(path[..<dot])_\(number)\(path[dot...])"
            number += 1
        }
        return unique
    }
}
