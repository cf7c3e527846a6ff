import Model

/// The beginning of an upstream's reply, made safe for one line of a log or a terminal.
enum ReplyExcerpt {
    /// The most Unicode scalars: one character may have any number of them.
    private static let maximumScalars = 200
    /// What is shown of a reply that has a secret in it.
    static let hidden = "(its text has the token or a part of the address in it, and is not shown)"

    /// - Parameter secrets: texts that must not be shown even if the upstream sends them back.
    static func clean(_ bytes: [UInt8], without secrets: [String]) -> String {
        if SecretText.isIn(bytes, secrets) { return hidden }
        // Characters that could move a cursor or change the direction of text separate words, as white space does.
        let words = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split { $0.properties.isWhitespace || SafeText.isUnsafe($0) }
            .map { String($0) }.joined(separator: " ")
        let beginning = String(words.unicodeScalars.prefix(maximumScalars))
        return beginning.utf8.count < words.utf8.count ? beginning + "…" : words
    }
}
