package import Model

/// A dictionary as it is loaded.
package struct DictionaryStatus: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var path: String
    package var subsystem: String
    package var category: String
    package var version: String?
    package var key: [String]
    package var parametersAt: String?
    package var types: Int
    package var definitions: Int
    package var loadedAt: WireTime?
    package var problem: String?

    package var warnings: Int
    package var problems: [DefinitionProblemReply]
    package var problemsOmitted: Int

    package static let maximumProblems = 100

    package init(_ loaded: LoadedDictionary) {
        let (dictionary, options) = (loaded.dictionary, loaded.dictionary.options)
        name = options.name
        path = options.path
        subsystem = options.subsystem.pattern
        category = options.category.pattern
        version = dictionary.version.isEmpty ? nil : dictionary.version
        key = options.layout.key
        parametersAt = options.layout.parametersAt?.text
        types = Set(options.types.keys).union(dictionary.types.map { ExactString($0.name) }).count
        definitions = dictionary.definitionCount
        loadedAt = version.map { _ in WireTime(microseconds: loaded.loadedAtMicroseconds) }
        problem = loaded.problem
        let errors = loaded.problems.filter { $0.severity == .error }
        let warnings = loaded.problems.filter { $0.severity == .warning }
        self.warnings = warnings.count
        problems = Array((errors + warnings).prefix(Self.maximumProblems))
        problemsOmitted = loaded.problems.count - problems.count
    }

    package static let object = ObjectDescription(
        "Dictionary", "A dictionary as it is loaded",
        [
            member("name", \.name, "Its name in the settings", "shop"),
            member("path", \.path, "The folder of its files", "/etc/gloss/definitions"),
            member("subsystem", \.subsystem, "The pattern of the subsystems whose events it covers", "com.example.*"),
            member("category", \.category, "The pattern of the categories whose events it covers", "ActivityLog"),
            member(
                "version", \.version, "The version in force; absent if none could be loaded yet", "00c0ffee00c0ffee"),
            member("key", \.key, LayoutText.key, LayoutText.exampleKey),
            member("parameters_at", \.parametersAt, LayoutText.parametersAt, nil),
            member("types", \.types, "The number of custom types that its files and the settings define", 0),
            member("definitions", \.definitions, "The number of events that it defines", 3),
            member(
                "loaded_at", \.loadedAt, "When the version came into force; absent if none could be loaded yet",
                .earlierExample),
            member(
                "problem", \.problem,
                """
                The errors in the current files; what they concern is in force as it was without them, or not at all
                """, nil),
            member("warnings", \.warnings, "How many of the problems, listed or not, are warnings", 0),
            member(
                "problems", \.problems,
                "What is wrong with the current files, errors first; at most \(maximumProblems)", showing: []),
            member("problems_omitted", \.problemsOmitted, "The number of problems that are not listed", 0),
        ])
}

/// `GET /v1/dictionaries`, in the order of the settings: the first one that covers an event is used for it.
package struct DictionaryList: Sendable, Hashable, Codable, DescribedObject {
    package var dictionaries: [DictionaryStatus]

    package init(dictionaries: [DictionaryStatus]) {
        self.dictionaries = dictionaries
    }

    package static let object = ObjectDescription(
        "DictionaryList", "The dictionaries",
        [
            member(
                "dictionaries", \.dictionaries,
                "In the order of the settings: the first one that covers an event is used for it")
        ])
}

/// A dictionary in force.
package struct LoadedDictionary: Sendable {
    package var dictionary: EventDictionary
    package var loadedAtMicroseconds: UInt64
    /// The errors in the current files. What they concern is in `dictionary` as it was without them, or not at all.
    package var problem: String?
    /// What is wrong with the current files: errors and warnings.
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
}

/// Something wrong in a definition file.
package struct DefinitionProblemReply: Sendable, Hashable, Codable, DescribedObject {
    package enum Severity: String, Sendable, Codable, CaseIterable, ExampleValue { case error, warning }

    package var file: String
    package var line: Int
    package var column: Int
    package var severity: Severity
    package var rule: String
    package var message: String

    package init(file: String, line: Int, column: Int, severity: Severity, rule: String, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.severity = severity
        self.rule = rule
        self.message = message
    }

    package static let object = ObjectDescription(
        "DefinitionProblem", "Something wrong in a definition file",
        [
            member(
                "file", \.file,
                """
                The file's name in the folder of the dictionary; the path of the folder if the problem is about the \
                folder
                """,
                "recipe_detail.md"),
            member("line", \.line, "From 1; 1 if the problem is about the file as a whole", 12),
            member("column", \.column, "In characters, from 1; 1 if it is not known", 3),
            member("severity", \.severity, "Whether what it concerns is not put in force", .warning),
            member("rule", \.rule, "The rule of glossctl lint", "unmarked-type"),
            member(
                "message", \.message, "What is wrong, and what to write instead",
                "bigint is a custom type here: write !bigint"),
        ])
}

/// `POST /v1/reload`, when the new settings and dictionaries are in force, except for definitions with errors. Otherwise the
/// reply is a `Problem`, and the previous ones stay in force.
package struct ReloadReply: Sendable, Hashable, Codable, DescribedObject {
    package var changes: [String]
    package var errors: [String]
    package var warnings: [String]
    package var dictionaries: [DictionaryStatus]

    package init(
        changes: [String], errors: [String] = [], warnings: [String] = [], dictionaries: [DictionaryStatus]
    ) {
        self.changes = changes
        self.errors = errors
        self.warnings = warnings
        self.dictionaries = dictionaries
    }

    package static let object = ObjectDescription(
        "Reload", "What a reload changed",
        [
            member(
                "changes", \.changes, "What changed, one sentence each; empty if nothing did",
                ["shop: 2 definitions added"]),
            member(
                "errors", \.errors,
                """
                What is wrong with definitions, as path:line:column: error [rule]: text; these stay as they were, or are \
                not in force
                """, []),
            member(
                "warnings", \.warnings,
                """
                What the authors of the definitions should fix, as path:line:column: warning [rule]: text; and what is \
                doubtful in the settings, as one sentence each
                """, []),
            member("dictionaries", \.dictionaries, "The dictionaries in force"),
        ])
}

/// What the API's documentation says of the layout of payloads, in each reply that has it.
enum LayoutText {
    static let key = """
        Where events have their category and name, or only the name: a member of the payload, a path such as \
        context.event, or a journal field such as journal.EVENT_NAME
        """
    static let exampleKey = ["event_category", "event_name"]
    static let parametersAt =
        "The member of payloads with the parameters of the event; absent if they are in the payload itself"
}
