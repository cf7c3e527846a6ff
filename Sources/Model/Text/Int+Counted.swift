extension Int {
    /// Returns a number of things: `1 event`, `2 events`.
    /// - Parameter plural: that of a noun that takes more than an s.
    package func counted(_ noun: String, plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? "\(noun)s")"
    }
}
