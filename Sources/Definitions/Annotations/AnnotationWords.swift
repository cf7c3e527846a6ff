import Model

/// The words of a line that may be meant as an annotation, without regard to case, width, and decoration around them:
/// `[ ] Privacy： private。` has the same words as `privacy: private`.
struct AnnotationWords {
    /// The first word, of 4 to 9 letters.
    let key: String
    /// The first character after it; `nil` if no letter or digit follows, unless it is a colon or equals sign.
    let mark: Character?
    /// The text after the mark if that is a colon or equals sign, otherwise the text from the mark on.
    let value: String

    /// Longer texts are always descriptions. In bytes.
    private static let maximumBytes = 200
    /// Longer texts without a colon or equals sign are always descriptions. In bytes.
    private static let maximumUnmarkedBytes = 32

    /// - Returns: `nil` for nearly all descriptions, after little work.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let scalars = text.unicodeScalars
        let start = Self.withoutDecoration(scalars[...])
        let word = start.prefix { Self.letter($0) }
        guard (4...9).contains(word.count) else { return nil }
        let rest = start[word.endIndex...]
        guard let next = rest.first(where: { $0 != " " && $0 != "\u{3000}" }) else {
            (key, mark, value) = (String(word).halfWidth.lowercased(), nil, "")
            return
        }
        let isMarked = ":=：＝".unicodeScalars.contains(next)
        guard isMarked || text.utf8.count <= Self.maximumUnmarkedBytes else { return nil }
        let plain = String(rest).halfWidth.lowercased().trimmed
        key = String(word).halfWidth.lowercased()
        mark = plain.contains { $0.isLetter || $0.isNumber } || isMarked ? plain.first : nil
        value = String(plain.dropFirst(isMarked ? 1 : 0)).trimmed
    }

    /// The privacy, if the value contains nothing else.
    var privacy: Privacy? {
        let isSign: (Character) -> Bool = { !$0.isLetter && !$0.isNumber }
        let word = value.drop(while: isSign).prefix { !isSign($0) }
        guard value[word.endIndex...].allSatisfy(isSign) else { return nil }
        return word == "hashed" ? .hash : Privacy(rawValue: String(word))
    }

    /// Removes bullets, quotation marks, and checkboxes.
    private static func withoutDecoration(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let rest = text.drop { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
        let decoration = text[..<rest.startIndex]
        guard decoration.last == "[", rest.first == "x" || rest.first == "X", rest.dropFirst().first == "]" else {
            return rest
        }
        return withoutDecoration(rest.dropFirst(2))
    }

    private static func letter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "ａ"..."ｚ", "Ａ"..."Ｚ": true
        default: false
        }
    }
}
