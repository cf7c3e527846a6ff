package import API
package import Definitions
package import Model

/// A dictionary's folder as it was read once.
package struct DictionaryReading: Sendable {
    package var options: DictionaryOptions
    /// The same for the same files (and the same reasons why some cannot be read) under the same options, in this
    /// process.
    package var contents: Int
    /// `nil` when anything is in error.
    package var dictionary: EventDictionary?
    /// Errors and warnings, in the order of files and lines.
    package var problems: [DefinitionProblem]
    /// What the dictionary was made of. They are large: whoever keeps a reading drops them.
    package var files: [DefinitionFile]
    /// What files in error seem to protect.
    private var suspected: [ExactString: Privacy] = [:]

    /// Reads the folder and, unless it has the `known` contents, parses it. It blocks, for as long as a second for
    /// 10,000 definitions.
    /// - Returns: `nil` for the known contents.
    package init?(_ options: DictionaryOptions, unless known: Int? = nil) {
        let (files, unreadable) = DictionaryFolder.contents(of: options.path)
        var hasher = Hasher()
        hasher.combine(options)
        hasher.combine(files)
        hasher.combine(unreadable)
        contents = hasher.finalize()
        guard contents != known else { return nil }
        self.options = options
        self.files = files
        let (dictionary, problems) = DictionaryParser.read(files, options: options)
        // Where no file can be read at all, that there is none is not worth a word of its own.
        self.problems = (files.isEmpty && !unreadable.isEmpty ? [] : problems) + unreadable
        if self.problems.hasErrors {
            suspected = Self.suspected(dictionary, files, self.problems)
        } else {
            self.dictionary = dictionary
        }
    }

    /// - Parameter understood: what the parser made of the files.
    private static func suspected(
        _ understood: EventDictionary, _ files: [DefinitionFile], _ problems: [DefinitionProblem]
    ) -> [ExactString: Privacy] {
        var names = understood.protectedNames
        let broken = Set(exact: problems.lazy.filter { $0.severity == .error }.map(\.file))
        for file in files where broken.contains(file.name) {
            names.merge(PrivacyScan.protectedNames(in: file.bytes), uniquingKeysWith: max)
        }
        // Without its key, an event could not be resolved later.
        for key in [understood.options.categoryKey, understood.options.nameKey] { names[key] = nil }
        return names
    }

    /// Every error, `path:line:column: error [rule]: text` each, in one line whatever the file is called.
    package var errors: [String] { lines(.error) }
    /// What the definitions' authors should fix besides.
    package var warnings: [String] { lines(.warning) }

    private func lines(_ severity: DefinitionProblem.Severity) -> [String] {
        problems.filter { $0.severity == severity }.map { $0.description(in: options.path).oneLine }
    }

    /// The errors as one text, a bounded number of them; `nil` when there are none.
    package var problem: String? {
        let errors = errors
        guard !errors.isEmpty else { return nil }
        let rest = errors.count > Self.shownErrors ? ["and \(errors.count - Self.shownErrors) more"] : []
        return (errors.prefix(Self.shownErrors) + rest).joined(separator: "\n")
    }

    private static let shownErrors = 20

    /// What is put in force: the dictionary, or `last` while there is none, with what is wrong with the files.
    /// - Parameter last: what was in force before. Where there never was a good one, all events are `undefined`; in any
    ///   case, what the files of now call private is protected as well.
    package func loaded(at nowMicroseconds: UInt64, orLast last: EventDictionary?) -> LoadedDictionary {
        var inForce =
            dictionary ?? last ?? EventDictionary(options: options, version: "", common: [], categories: [])
        inForce.suspected = suspected
        return LoadedDictionary(
            dictionary: inForce, loadedAtMicroseconds: nowMicroseconds, problem: problem,
            problems: problems.map(DefinitionProblemReply.init))
    }
}

extension DefinitionProblemReply {
    fileprivate init(_ problem: DefinitionProblem) {
        self.init(
            file: problem.file, line: problem.line, column: problem.column,
            severity: problem.severity == .error ? .error : .warning, rule: problem.rule.rawValue,
            message: problem.message)
    }
}
