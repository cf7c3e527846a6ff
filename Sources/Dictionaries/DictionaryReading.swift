package import API
package import Definitions
package import Model

/// The result of reading the folder of a dictionary once.
package struct DictionaryReading: Sendable {
    package var options: DictionaryOptions
    /// A hash of files, unreadable files and options: equal content has the same value within this process.
    package var contents: Int
    /// Without the parts that have errors, once it was repaired. Before, it is `nil` when there are errors.
    package var dictionary: EventDictionary?
    /// Errors and warnings, in the order of files and lines.
    package var problems: [DefinitionProblem]
    /// The files that the dictionary was parsed from. They are large: drop them when you keep a reading.
    package var files: [DefinitionFile]
    /// The names that files with errors seem to protect.
    private var suspected: [ExactString: Privacy] = [:]
    /// The files that cannot be read.
    private var unreadable: [String]

    /// Reads the folder and parses it. It blocks, up to a second for 10,000 definitions.
    package init(_ options: DictionaryOptions) {
        self.init(options, Self.read(options))
    }

    /// Does the same, unless its contents are `known`.
    /// - Returns: `nil` for the known contents.
    package init?(_ options: DictionaryOptions, unless known: Int?) {
        let read = Self.read(options)
        guard read.hash != known else { return nil }
        self.init(options, read)
    }

    private static func read(_ options: DictionaryOptions) -> (folder: DictionaryFolder.Contents, hash: Int) {
        let folder = DictionaryFolder.contents(of: options.path, ignore: options.ignore)
        var hasher = Hasher()
        hasher.combine(options)
        hasher.combine(folder.files)
        hasher.combine(folder.problems)
        return (folder, hasher.finalize())
    }

    private init(_ options: DictionaryOptions, _ read: (folder: DictionaryFolder.Contents, hash: Int)) {
        let (files, unreadable) = (read.folder.files, read.folder.problems)
        contents = read.hash
        self.options = options
        self.files = files
        self.unreadable = unreadable.filter { $0.severity == .error }.map(\.file)
        let (dictionary, problems) = DictionaryParser.read(files, options: options)
        // If no file can be read, the parser's complaint that there are none adds nothing.
        self.problems = ((files.isEmpty && !unreadable.isEmpty ? [] : problems) + unreadable).inOrder
        if self.problems.hasErrors {
            suspected = Self.suspected(dictionary, files, self.problems)
        } else {
            self.dictionary = dictionary
        }
    }

    /// Makes the dictionary of the files without their errors: each definition with an error is replaced by its last good text,
    /// or left out.
    /// - Parameter lastGood: the files of the last version, if they are kept.
    package mutating func repair(lastGood: [DefinitionFile]) {
        guard dictionary == nil, !files.isEmpty else { return }
        let repair = DictionaryRepair(files, unreadable: unreadable, lastGood: lastGood, options: options)
        (dictionary, files) = (repair.dictionary, repair.files)
    }

    /// - Parameter understood: the dictionary that the parser made of the files despite the errors.
    private static func suspected(
        _ understood: EventDictionary, _ files: [DefinitionFile], _ problems: [DefinitionProblem]
    ) -> [ExactString: Privacy] {
        var names = understood.protectedNames
        let broken = Set(exact: problems.lazy.filter { $0.severity == .error }.map(\.file))
        for file in files where broken.contains(file.name) {
            names.merge(PrivacyScan.protectedNames(in: file.bytes), uniquingKeysWith: max)
        }
        for name in understood.options.keyMembersOfPairs.flatMap(\.steps) { names[name] = nil }
        return names
    }

    /// All errors, each one line of the form `path:line:column: error [rule]: text`, whatever the name of the file.
    package var errors: [String] { lines(.error) }
    /// All warnings, in the same form.
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

    /// Returns what is put in force: the dictionary of this reading, or `last` if it has none, with the problems of the files.
    /// - Parameter last: the previous dictionary. If there never was one, all events are `undefined`. In each case the
    ///   names that the current files call private are protected as well.
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
