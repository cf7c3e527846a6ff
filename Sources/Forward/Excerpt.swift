import Model

/// The beginning of an upstream's reply, made fit for a line of a log or a terminal.
enum Excerpt {
    private static let maximumCharacters = 200

    /// - Parameters:
    ///   - isCut: whether the reply went on behind these bytes.
    ///   - secret: what must not be shown although the upstream sends it back.
    static func clean(_ bytes: [UInt8], isCut: Bool = false, without secret: String?) -> String {
        // First of all: the secret is to be found whole.
        let shown = secret.map { SecretText($0).removed(from: bytes, isCut: isCut) } ?? bytes
        // What could move a cursor or turn the text around separates words, as white space does.
        let words = String(decoding: shown, as: UTF8.self).unicodeScalars
            .split { $0.properties.isWhitespace || SafeText.isUnsafe($0) }
            .map { String($0) }.joined(separator: " ")
        return words.count > maximumCharacters ? words.prefix(maximumCharacters) + "…" : words
    }
}
