import Model

/// The pattern of a path: `/recipes/*` for `/recipes/42`.
enum PathPattern {
    /// Returns the path with `*` for each number and each UUID.
    ///
    /// A number is a whole word of digits, in any script. A word is a run of letters, digits, `_` and escapes such as
    /// `%E3`. The numbers in `42.json`, `12-13` and `-3` are replaced; `v2` and `a%20` are not.
    static func of(_ path: Substring) -> String {
        var pattern = ""
        var rest = path
        while let first = rest.first {
            if let end = endOfUUID(rest) {
                pattern += "*"
                rest = rest[end...]
                continue
            }
            let word = word(rest)
            if word.isEmpty {
                pattern.append(first)
                rest.removeFirst()
            } else {
                pattern += isNumber(word) ? "*" : word
                rest = rest[word.endIndex...]
            }
        }
        return pattern
    }

    /// Returns the word at the start of `text`; empty if there is none.
    private static func word(_ text: Substring) -> Substring {
        var end = text.startIndex
        while end < text.endIndex {
            let character = text[end]
            let isEscape = character == "%" && text[end...].dropFirst().prefix(2).count { $0.isASCIIHexDigit } == 2
            guard isEscape || character == "_" || character.isLetter || character.isNumber else { break }
            end = text.index(end, offsetBy: isEscape ? 3 : 1)
        }
        return text[..<end]
    }

    private static func isNumber(_ word: Substring) -> Bool {
        word.unicodeScalars.allSatisfy { $0.properties.generalCategory == .decimalNumber }
    }

    /// Returns the index after the UUID at the start of `text`.
    /// - Source: RFC 9562, section 4
    private static func endOfUUID(_ text: Substring) -> Substring.Index? {
        var end = text.startIndex
        for (index, digits) in [8, 4, 4, 4, 12].enumerated() {
            if index > 0 {
                guard text[end...].first == "-" else { return nil }
                end = text.index(after: end)
            }
            let word = word(text[end...])
            guard word.count == digits, word.allSatisfy(\.isASCIIHexDigit) else { return nil }
            end = word.endIndex
        }
        return end
    }
}

extension Character {
    fileprivate var isASCIIHexDigit: Bool { isASCII && isHexDigit }
}
