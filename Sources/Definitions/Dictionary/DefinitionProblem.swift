/// Something in a definition file that its author should know.
package struct DefinitionProblem: Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The dictionary cannot be used.
        case error
        case warning
    }

    package var severity: Severity
    /// The file's name within its folder.
    package var file: String
    /// From 1; 0 when it is about the file as a whole.
    package var line: Int
    /// What is wrong, and what to write instead.
    package var message: String

    package init(_ severity: Severity, file: String, line: Int, message: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.message = message
    }

    /// Such as `recipe_detail.md:12: error: …`.
    package var description: String {
        line > 0 ? "\(file):\(line): \(severity): \(message)" : "\(file): \(severity): \(message)"
    }

    /// The same with the file's path; what is about the folder itself has it already.
    package func description(in folder: String) -> String {
        file == folder ? description : "\(folder)/\(description)"
    }
}

/// Definition files that make no dictionary.
package struct DictionaryError: Error, Sendable, CustomStringConvertible {
    /// In the order of files and lines; at least one is an error.
    package var problems: [DefinitionProblem]

    package init(problems: [DefinitionProblem]) {
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The problems of one file while it is parsed.
struct ProblemList {
    let file: String
    private(set) var problems: [DefinitionProblem] = []

    /// A file of nothing but mistakes must not become as many reports as it has lines.
    static let limit = 200

    init(file: String) {
        self.file = file
    }

    var hasErrors: Bool { problems.contains { $0.severity == .error } }

    mutating func error(_ line: Int, _ message: String) { add(.error, line, message) }
    mutating func warning(_ line: Int, _ message: String) { add(.warning, line, message) }

    private mutating func add(_ severity: DefinitionProblem.Severity, _ line: Int, _ message: String) {
        // Warnings must not use up the room of the first error.
        guard problems.count < Self.limit || (severity == .error && !hasErrors) else { return }
        problems.append(DefinitionProblem(severity, file: file, line: line, message: message))
        if problems.count == Self.limit {
            problems.append(
                DefinitionProblem(
                    severity, file: file, line: line,
                    message: "this file has more problems than the \(Self.limit) that are listed"))
        }
    }
}
