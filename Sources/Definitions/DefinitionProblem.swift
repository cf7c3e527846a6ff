package import Model

/// Something in a definition file that its author should know.
package struct DefinitionProblem: Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The dictionary cannot be used.
        case error
        case warning
    }

    package var rule: LintRule
    package var severity: Severity
    /// The file's name within its folder; the folder's path when it is about the folder.
    @Exact package var file: String
    /// From 1. What is about a file or folder as a whole stands at its beginning: tools that look for `file:line:column`
    /// pass over everything else.
    package var line: Int
    /// Where in the line, in characters (Unicode scalars) from 1; 0 until `located(in:)` knows.
    package var column: Int
    /// What is wrong, and what to write instead.
    @Exact package var message: String
    /// Another place that the message names, a file or `FILE:LINE`.
    @Exact var related: String?
    /// What of the line it is about, as it is written there: the column follows from it.
    @Exact var subject: String?

    /// - Parameters:
    ///   - severity: `nil` for the rule's own.
    ///   - line: 0 for the file as a whole.
    package init(_ rule: LintRule, _ severity: Severity? = nil, file: String, line: Int = 0, message: String) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.file = file
        self.line = max(line, 1)
        column = line > 0 ? 0 : 1
        self.message = message
    }

    /// Such as `recipe_detail.md:12:3: error [unknown-type]: …`.
    package var description: String {
        "\(file):\(line):\(max(column, 1)): \(severity) [\(rule.rawValue)]: \(message)"
    }

    /// The same with the file's path; what is about the folder itself has it already.
    package func description(in folder: String) -> String {
        file == folder ? description : "\(folder)/\(naming(folder).description)"
    }

    /// The same with the path of the other place that its message names.
    package func naming(_ folder: String) -> DefinitionProblem {
        guard let related, let range = message.firstRange(of: related) else { return self }
        var problem = self
        problem.message.replaceSubrange(range, with: "\(folder)/\(related)")
        problem.related = nil
        return problem
    }
}

extension DefinitionProblem {
    /// Whether it comes first, by file, line and column.
    /// - Parameter files: what the files of both are called where they are shown.
    package func isBefore(_ other: DefinitionProblem, files: (String, String)) -> Bool {
        guard files.0 == files.1 else { return files.0 < files.1 }
        return (line, column, ExactString(rule.rawValue)) < (other.line, other.column, ExactString(other.rule.rawValue))
    }
}

extension [DefinitionProblem] {
    /// By file, line and column.
    package var inOrder: [DefinitionProblem] {
        sorted { $0.isBefore($1, files: ($0.file, $1.file)) }
    }

    package var hasErrors: Bool { contains { $0.severity == .error } }
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
