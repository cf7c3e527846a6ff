/// Why a sink's settings cannot work.
package struct SinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package var description: String
    /// What to write or do instead.
    package var hint: String?

    package init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }

    /// What is wrong and what to do, in one line.
    package var advice: String { hint.map { "\(description); \($0)" } ?? description }
}
