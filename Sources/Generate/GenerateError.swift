/// Why nothing was generated.
package struct GenerateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
