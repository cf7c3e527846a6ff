package import Model

/// A dictionary as it is loaded.
package struct DictionaryStatus: Sendable, Hashable, Codable {
    package var name: String
    package var path: String
    /// Which events are looked up in it: globs.
    package var subsystem: String
    package var category: String
    /// Absent where none could be loaded yet.
    package var version: String?
    /// The payload keys of event category and event name.
    package var key: [String]
    /// How many custom types the settings define for it.
    package var types: Int
    /// How many events it defines.
    package var definitions: Int
    /// Absent where none could be loaded yet.
    package var loadedAt: WireTime?
    /// Why the files as they are now could not be loaded; the last good ones are in force then.
    package var problem: String?

    /// How many of the problems, listed or not, are warnings.
    package var warnings: Int
    /// What is wrong with the files as they are now, errors first; at most `maximumProblems`.
    package var problems: [DefinitionProblemReply]
    /// How many more problems there are than are listed.
    package var problemsOmitted: Int

    package static let maximumProblems = 100

    package init(
        _ dictionary: EventDictionary, loadedAtMicroseconds: UInt64, problem: String? = nil,
        problems: [DefinitionProblemReply] = []
    ) {
        let options = dictionary.options
        name = options.name
        path = options.path
        subsystem = options.subsystem.pattern
        category = options.category.pattern
        version = dictionary.version.isEmpty ? nil : dictionary.version
        key = options.key
        types = options.types.count
        definitions = dictionary.categories.reduce(0) { $0 + $1.definitions.count }
        loadedAt = version.map { _ in WireTime(microseconds: loadedAtMicroseconds) }
        self.problem = problem
        let errors = problems.filter { $0.severity == .error }
        let warnings = problems.filter { $0.severity == .warning }
        self.warnings = warnings.count
        self.problems = Array((errors + warnings).prefix(Self.maximumProblems))
        problemsOmitted = problems.count - self.problems.count
    }
}

/// `GET /v1/dictionaries`, in the order of the settings: the first one that fits an event is used for it.
package struct DictionaryList: Sendable, Hashable, Codable {
    package var dictionaries: [DictionaryStatus]

    package init(dictionaries: [DictionaryStatus]) {
        self.dictionaries = dictionaries
    }
}

/// A dictionary in force.
package struct LoadedDictionary: Sendable {
    package var dictionary: EventDictionary
    package var loadedAtMicroseconds: UInt64
    /// Why the files as they are now could not be loaded; `dictionary` is then the last good one.
    package var problem: String?
    /// What is wrong with the files as they are now, errors and warnings.
    package var problems: [DefinitionProblemReply]

    package init(
        dictionary: EventDictionary, loadedAtMicroseconds: UInt64, problem: String? = nil,
        problems: [DefinitionProblemReply] = []
    ) {
        self.dictionary = dictionary
        self.loadedAtMicroseconds = loadedAtMicroseconds
        self.problem = problem
        self.problems = problems
    }

    package var status: DictionaryStatus {
        DictionaryStatus(
            dictionary, loadedAtMicroseconds: loadedAtMicroseconds, problem: problem, problems: problems)
    }
}

/// Something in a definition file that its author should know.
package struct DefinitionProblemReply: Sendable, Hashable, Codable {
    package enum Severity: String, Sendable, Codable, CaseIterable { case error, warning }

    /// The file's name within the dictionary's folder; the folder's path when it is about the folder itself.
    package var file: String
    /// From 1; 0 when it is about the file as a whole.
    package var line: Int
    /// From 1, in characters; 0 when it is not known.
    package var column: Int
    package var severity: Severity
    /// The name of the rule, as docs/lint.md explains it.
    package var rule: String
    /// What is wrong, and what to write instead.
    package var message: String

    package init(file: String, line: Int, column: Int, severity: Severity, rule: String, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.severity = severity
        self.rule = rule
        self.message = message
    }
}

/// `POST /v1/reload`, when the new settings and dictionaries are in force. Otherwise the answer is a problem, and the
/// old ones stay.
package struct ReloadReply: Sendable, Hashable, Codable {
    /// What became different, one sentence each; empty when nothing did.
    package var changes: [String]
    /// What the definitions' authors should mend, `path:line:column: warning [rule]: text`.
    package var warnings: [String]
    package var dictionaries: [DictionaryStatus]

    package init(changes: [String], warnings: [String] = [], dictionaries: [DictionaryStatus]) {
        self.changes = changes
        self.warnings = warnings
        self.dictionaries = dictionaries
    }
}
