import Model

/// The beginning of an upstream's reply, made fit for a line of a log or a terminal.
enum Excerpt {
    private static let maximumCharacters = 200

    /// - Parameter secret: what must not be shown although the upstream sends it back.
    static func clean(_ text: String, without secret: String?) -> String {
        var text = text
        if let secret, !secret.isEmpty {
            text = text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
        }
        // What could move a cursor or turn the text around separates words, as white space does.
        let words = text.unicodeScalars
            .split { $0.properties.isWhitespace || SafeText.isUnsafe($0) }
            .map { String($0) }.joined(separator: " ")
        return words.count > maximumCharacters ? words.prefix(maximumCharacters) + "…" : words
    }
}
