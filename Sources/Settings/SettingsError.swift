/// What is wrong with a part of the settings, as those find out who use it.
package struct SettingsFault: Sendable {
    /// The keys that lead to the part, and names instead of numbers for what is in a list: `alerts`, `errors`, `predicate`.
    package var place: [String]
    /// The problem and what to write instead.
    package var message: String

    package init(_ place: String..., message: String) {
        self.place = place
        self.message = message
    }
}

/// All problems of a settings file.
package struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Problem: Sendable, Equatable, CustomStringConvertible {
        package var file: String
        /// The line, from 1; `nil` when the problem concerns the whole file.
        package var line: Int?
        package var column: Int?
        /// The problem and what to write instead.
        package var message: String

        package init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
            self.file = file
            self.line = line
            self.column = column
            self.message = message
        }

        /// The problem in the format of compilers.
        package var description: String { "\(place): error: \(message)" }
        /// The problem for a log line, which has its own severity.
        package var logText: String { "\(place): \(message)" }

        private var place: String {
            var place = file
            if let line { place += ":\(line)" }
            if let column, line != nil { place += ":\(column)" }
            return place
        }
    }

    package var problems: [Problem]

    package init(problems: [Problem]) {
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
