package import Model

/// A problem in a definition file, for its author.
package struct DefinitionProblem: Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// What it concerns cannot be used.
        case error
        case warning
    }

    package var rule: LintRule
    package var severity: Severity
    /// The file's name within its folder, or the folder's path when the problem concerns the folder.
    @Exact package var file: String
    /// The line, from 1. A problem of a whole file or folder is at its beginning, since tools that read
    /// `file:line:column` ignore everything else.
    package var line: Int
    /// The column in the line, in Unicode scalars from 1; 0 until `located(in:)` sets it.
    package var column: Int
    /// The problem, and what to write instead.
    @Exact package var message: String
    /// Another place that the message refers to, a file or `FILE:LINE`.
    @Exact var related: String?
    /// The part of the line that the problem concerns, as it is written there; it determines the column.
    @Exact var subject: String?

    /// - Parameters:
    ///   - severity: the severity; `nil` for the rule's own.
    ///   - line: the line; 0 for the file as a whole.
    package init(_ rule: LintRule, _ severity: Severity? = nil, file: String, line: Int = 0, message: String) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.file = file
        self.line = max(line, 1)
        column = line > 0 ? 0 : 1
        self.message = message
    }

    /// The problem in the form of compilers: `recipe_detail.md:12:3: error [unknown-type]: …`.
    package var description: String {
        "\(file):\(line):\(max(column, 1)): \(severity) [\(rule.rawValue)]: \(message)"
    }

    /// Returns the description with the file's path. A problem of the folder itself already has it.
    package func description(in folder: String) -> String {
        file == folder ? description : "\(folder)/\(naming(folder).description)"
    }

    /// Returns the problem with the path of the other place that its message refers to.
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
    /// - Parameter files: the names of both files as they are shown.
    package func isBefore(_ other: DefinitionProblem, files: (String, String)) -> Bool {
        guard files.0 == files.1 else { return files.0 < files.1 }
        return (line, column, ExactString(rule.rawValue)) < (other.line, other.column, ExactString(other.rule.rawValue))
    }
}

extension [DefinitionProblem] {
    /// The problems by file, line and column.
    package var inOrder: [DefinitionProblem] {
        sorted { $0.isBefore($1, files: ($0.file, $1.file)) }
    }

    package var hasErrors: Bool { contains { $0.severity == .error } }
}

/// The error that definition files do not form a dictionary.
package struct DictionaryError: Error, Sendable, CustomStringConvertible {
    /// The problems in the order of files and lines; at least one is an error.
    package var problems: [DefinitionProblem]

    package init(problems: [DefinitionProblem]) {
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
