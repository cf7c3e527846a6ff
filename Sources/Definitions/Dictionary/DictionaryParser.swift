package import Model

/// Parses a dictionary from its Markdown files, as daifuku does.
///
/// Where daifuku silently drops or misreads something, it reports an error or a warning with file and line.
///
/// - Source: cookpad/daifuku (0.9.0), which renders with Redcarpet without extensions.
package enum DictionaryParser {
    /// The file whose list has the parameters of all events.
    package static let commonFile = "common.md"

    /// - Parameter files: every `*.md` of the folder, in any order.
    /// - Returns: the dictionary and the warnings for its authors, in the order of files and lines.
    /// - Throws: `DictionaryError` with all problems when any of them is an error.
    package static func parse(
        _ files: [DefinitionFile], options: DictionaryOptions
    ) throws(DictionaryError) -> (dictionary: EventDictionary, warnings: [DefinitionProblem]) {
        let (dictionary, problems) = read(files, options: options)
        guard !problems.hasErrors else { throw DictionaryError(problems: problems) }
        return (dictionary, problems)
    }

    /// Parses the files and continues after errors.
    /// - Returns: the dictionary as far as it can be parsed, which must not be used when there are errors, and all
    ///   problems, in the order of files and lines.
    package static func read(
        _ files: [DefinitionFile], options: DictionaryOptions
    ) -> (dictionary: EventDictionary, problems: [DefinitionProblem]) {
        let parsed = parsed(files, options: options)
        return (parsed.dictionary, parsed.problems)
    }

    /// Does the same, and also returns the parts of each file.
    /// - Parameter mostProblems: the most problems of a file.
    static func parsed(
        _ files: [DefinitionFile], options: DictionaryOptions, mostProblems: Int = ProblemList.limit
    ) -> ParsedDictionary {
        var problems: [DefinitionProblem] = []
        var common: ParsedCategory?
        var categories: [ParsedCategory] = []
        let files = files.sorted { $0.name < $1.name }
        let isOfType = { (file: DefinitionFile) in TypeParser.isOfType(file.name) }
        let types = TypeParser.parse(files.filter(isOfType), options: options, mostProblems: mostProblems)
        problems += types.problems
        var sections: [ExactString: [FileSection]] = [:]
        for file in types.files { sections[file.problems.file] = file.sections }
        for (index, file) in files.enumerated() where !isOfType(file) {
            guard file.name.hasSuffix(".md") else {
                problems.append(.init(.ignoredFile, file: file.name, message: "not read: name it `*.md`"))
                continue
            }
            if index > 0, files[index - 1].name == file.name {
                problems.append(.init(.duplicateFile, file: file.name, message: "there are two files of this name"))
                continue
            }
            let name = String(Substring(file.name.utf8.dropLast(3)))
            let parsed = CategoryParser.parse(
                file, name: name, options: options, types: types.meanings, mostProblems: mostProblems)
            problems += parsed.problems
            sections[file.name] = parsed.sections
            if file.name == commonFile { common = parsed } else { categories.append(parsed) }
        }
        if files.allSatisfy(isOfType) {
            let message = "there are no definition files: write one `*.md` for each event category"
            problems.append(.init(.noDefinitions, file: options.path, message: message))
        }
        problems += DictionaryRules.check(
            common: common, categories: categories, types: types, options: options, mostProblems: mostProblems,
            after: problems)
        let dictionary = EventDictionary(
            options: options, version: ContentHash.of(files, options: options),
            common: common?.category.parameters ?? [], allowsExtra: common?.category.allowsExtra,
            categories: categories.map(\.category), types: types.definitions)
        return ParsedDictionary(
            dictionary: dictionary, problems: problems.located(in: files).inOrder,
            files: files.map { SectionedFile($0, sections[$0.name] ?? []) }, declaredTypes: types.declared,
            cycles: types.cycles)
    }
}

extension DefinitionCategory {
    /// The file that defines it.
    var file: String { "\(name).md" }
}

/// The result of parsing the files of a dictionary.
struct ParsedDictionary {
    /// As far as it can be parsed.
    var dictionary: EventDictionary
    var problems: [DefinitionProblem]
    var files: [SectionedFile]
    /// The types that the files name, with and without errors.
    var declaredTypes: Set<ExactString>
    /// For each type that contains itself or is nested too deeply, the types that lead back to it or down to it.
    var cycles: [ExactString: [ExactString]]
}
