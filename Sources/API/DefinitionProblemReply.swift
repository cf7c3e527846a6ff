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
