package import Model

/// Reads a dictionary from its Markdown files, as daifuku does.
///
/// Where daifuku drops or misreads something without a word, there is an error or a warning with file and line.
///
/// - Source: cookpad/daifuku (0.9.0), which renders with Redcarpet without extensions.
package enum DictionaryParser {
    /// The file whose list holds the parameters of all events.
    package static let commonFile = "common.md"

    /// - Parameter files: every `*.md` of the folder, in any order.
    /// - Returns: the dictionary and what its authors should know (warnings only), in the order of files and lines.
    /// - Throws: when anything in the files is an error; all problems are in it.
    package static func parse(
        _ files: [DefinitionFile], options: DictionaryOptions
    ) throws(DictionaryError) -> (dictionary: EventDictionary, warnings: [DefinitionProblem]) {
        var problems: [DefinitionProblem] = []
        var common: DefinitionCategory?
        var categories: [DefinitionCategory] = []
        let files = files.sorted { $0.name < $1.name }
        for (index, file) in files.enumerated() {
            guard file.name.hasSuffix(".md") else {
                problems.append(.init(.warning, file: file.name, line: 0, message: "not read: name it `*.md`"))
                continue
            }
            if index > 0, files[index - 1].name == file.name {
                problems.append(.init(.error, file: file.name, line: 0, message: "there are two files of this name"))
            }
            let name = String(file.name.dropLast(3))
            let parsed = CategoryParser.parse(file, name: name, types: options.types)
            problems += parsed.problems
            if file.name == commonFile { common = parsed.category } else { categories.append(parsed.category) }
        }
        if files.isEmpty {
            let message = "there are no definition files: write one `*.md` for each event category"
            problems.append(.init(.error, file: options.path, line: 0, message: message))
        }
        problems += DictionaryRules.check(common: common, categories: categories, options: options)
        guard !problems.contains(where: { $0.severity == .error }) else {
            throw DictionaryError(problems: problems.inOrder)
        }
        let dictionary = EventDictionary(
            options: options, version: DictionaryVersion.of(files, options: options),
            common: common?.parameters ?? [], categories: categories)
        return (dictionary, problems.inOrder)
    }
}

extension [DefinitionProblem] {
    fileprivate var inOrder: [DefinitionProblem] {
        sorted { $0.file == $1.file ? $0.line < $1.line : $0.file < $1.file }
    }
}
