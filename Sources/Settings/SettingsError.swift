/// Everything that is wrong with a settings file, all of it at once.
package struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Problem: Sendable, Equatable, CustomStringConvertible {
        package var file: String
        /// From 1; `nil` where the problem is the file as a whole.
        package var line: Int?
        package var column: Int?
        /// What is wrong and what to write instead.
        package var message: String

        package init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
            self.file = file
            self.line = line
            self.column = column
            self.message = message
        }

        /// As compilers write it.
        package var description: String { "\(place): error: \(message)" }
        /// For a log line, which has its own severity.
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
