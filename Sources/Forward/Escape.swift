import Model

/// An escape of one character in URLs (`%5A`), in strings of JSON and programming languages (`\/`, `\u005a`, `\u{5a}`,
/// `\x5a`, `\132`) or in HTML (`&amp;`, `&#90;`, `&#x5a;`).
struct Escape {
    static let maximumLength = 12
    private static let entities = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&nbsp;", " "),
    ].map { (name: Array($0.0.utf8), character: $0.1) }

    /// The escaped character, or a part of it if it takes several escapes.
    let code: Int
    let length: Int

    private static func afterBackslash(_ text: [UInt8]) -> Escape? {
        guard text.count > 1 else { return nil }
        switch Unicode.Scalar(text[1]) {
        case "u":
            return digits(text, from: 2, count: 4...4, radix: 16)
                ?? (text.count > 2 && text[2] == UInt8(ascii: "{")
                    ? digits(text, from: 3, count: 1...6, radix: 16, end: "}") : nil)
        case "x": return digits(text, from: 2, count: 2...2, radix: 16)
        case "0"..."7":
            // As many digits as fit into a byte.
            return (1...3).reversed().lazy.compactMap { digits(text, from: 1, count: $0...$0, radix: 8) }
                .first { $0.code <= 0xFF }
        // Line breaks and other control characters.
        case "a", "b", "e", "f", "n", "r", "t", "v":
            return Escape(code: text[1] == UInt8(ascii: "n") ? 0x0A : 0x0D, length: 2)
        case "a"..."z", "A"..."Z", "8", "9": return nil
        default: return Escape(code: Int(text[1]), length: 2)
        }
    }

    private static func entity(_ text: [UInt8]) -> Escape? {
        if let (name, character) = entities.first(where: { text.starts(with: $0.name) }) {
            return character.utf8.first.map { Escape(code: Int($0), length: name.count) }
        }
        guard text.count > 2, text[1] == UInt8(ascii: "#") else { return nil }
        return text[2] | 0x20 == UInt8(ascii: "x")
            ? digits(text, from: 3, count: 1...8, radix: 16, end: ";")
            : digits(text, from: 2, count: 1...9, radix: 10, end: ";")
    }

    /// Reads a number and the character that must end it.
    private static func digits(
        _ text: [UInt8], from start: Int, count: ClosedRange<Int>, radix: Int, end: Unicode.Scalar? = nil
    ) -> Escape? {
        let digits = text.dropFirst(start).prefix(count.upperBound)
            .prefix { Character(Unicode.Scalar($0)).hexDigitValue.map { $0 < radix } ?? false }
        guard digits.count >= count.lowerBound, let code = Int(String(decoding: digits, as: UTF8.self), radix: radix)
        else { return nil }
        guard let end else { return Escape(code: code, length: digits.endIndex) }
        guard digits.endIndex < text.count, text[digits.endIndex] == UInt8(ascii: end) else { return nil }
        return Escape(code: code, length: digits.endIndex + 1)
    }
}

extension Escape {
    /// - Parameter text: a text that may begin with an escape.
    init?(_ text: [UInt8]) {
        let escape: Escape? =
            switch text.first {
            case UInt8(ascii: "%"): Self.digits(text, from: 1, count: 2...2, radix: 16)
            case UInt8(ascii: "\\"): Self.afterBackslash(text)
            case UInt8(ascii: "&"): Self.entity(text)
            default: nil
            }
        guard let escape else { return nil }
        self = escape
    }
}
