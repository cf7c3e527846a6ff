import JSON
import Model

/// Searches for a parameter in bytes that are not a JSON object. If a payload was cut or split, or a quote is missing,
/// the text after a private name may still be personal data.
enum MalformedText {
    /// The length above which quoted text with escapes is not a name.
    private static let longestQuotedName = 512
    /// The most quotes, backslashes and brackets after a name, however often it was embedded in a string. Without a limit, a text
    /// of nothing but quotes would take quadratic time. A name with more of them has a value, whatever follows.
    private static let longestQuotes = 64

    /// Calls `body` with the start of each value that has a wanted name, quoted or not: after `name:`, `"name" :`, `'name'=`,
    /// `[name] =`, `name[0]=`, `name ->`. The end of the value cannot be determined in such bytes. The names come in their order, the
    /// values may not: other names may stand within a quoted one.
    /// - Parameter json: where what should be JSON begins. From there on, a quoted name has a value without a colon, too, unless it
    ///   is a value itself.
    static func forEachValue(
        in bytes: UnsafeRawBufferPointer, json: Int?, where isWanted: (UnsafeRawBufferPointer) -> Bool,
        _ body: (Int) -> Void
    ) {
        var (at, quoted) = (0, QuotedNames())
        while at < bytes.count {
            if bytes[at].isWordByte {
                let end = bytes[at...].firstIndex { !$0.isWordByte } ?? bytes.count
                let name = UnsafeRawBufferPointer(rebasing: bytes[at..<end])
                if isWanted(name), let value = value(in: bytes, of: at..<end, json, &quoted) { body(value) }
                at = end
            } else if let end = endOfEscape(in: bytes, at: at) {
                at = end
            } else {
                if bytes[at] == UInt8(ascii: "\""), let value = value(in: bytes, quotedAt: at, json, isWanted) {
                    body(value)
                }
                at += 1
            }
        }
    }

    /// Calls `body` with the start of each value behind a name, wherever the name stands.
    static func forEachValue(
        in bytes: UnsafeRawBufferPointer, json: Int?, of name: [UInt8], _ body: (Int) -> Void
    ) {
        var (at, quoted) = (0, QuotedNames())
        while let start = bytes.firstPlace(of: name, from: at) {
            at = start + name.count
            if let value = value(in: bytes, of: start..<at, json, &quoted) { body(value) }
        }
    }

    /// Returns the same for a name with escapes, which begins with the quote at `start`.
    private static func value(
        in bytes: UnsafeRawBufferPointer, quotedAt start: Int, _ json: Int?,
        _ isWanted: (UnsafeRawBufferPointer) -> Bool
    ) -> Int? {
        let text = bytes[(start + 1)...].prefix(longestQuotedName)
        guard let end = text.firstIndex(of: UInt8(ascii: "\"")), text[..<end].contains(UInt8(ascii: "\\")),
            let value = value(in: bytes, of: start + 1..<end, json)
        else { return nil }
        let name = JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: bytes[start + 1..<end]))
        return name.withUnsafeBytes(isWanted) ? value : nil
    }

    /// Returns the value of a word, or of the quoted name with dots that it is a part of, as in `"user.email"`. Without quotes, such a
    /// name may be a host.
    private static func value(
        in bytes: UnsafeRawBufferPointer, of word: Range<Int>, _ json: Int?, _ quoted: inout QuotedNames
    ) -> Int? {
        if let value = value(in: bytes, of: word, json) { return value }
        guard word.lowerBound > 0, word.upperBound < bytes.count else { return nil }
        let (before, after) = (bytes[word.lowerBound - 1], bytes[word.upperBound])
        // Beside white space, it is not all that stands between two dots.
        guard before == UInt8(ascii: ".") || after == UInt8(ascii: "."), !before.isWhiteSpace, !after.isWhiteSpace
        else { return nil }
        return quoted.value(in: bytes, around: word, json)
    }

    private static func value(in bytes: UnsafeRawBufferPointer, of name: Range<Int>, _ json: Int?) -> Int? {
        if let value = value(in: bytes, behind: name.upperBound) { return value }
        guard let json, name.lowerBound > json else { return nil }
        return isQuoted(name, in: bytes) && !isValue(name, in: bytes) ? name.upperBound : nil
    }

    /// What stands between quotes around words, which have to come in their order. A text of nothing but wanted words would take
    /// quadratic time if it were read, and its value looked for, for each of them.
    private struct QuotedNames {
        private var double = QuotedName(quote: UInt8(ascii: "\""))
        private var single = QuotedName(quote: UInt8(ascii: "'"))

        mutating func value(in bytes: UnsafeRawBufferPointer, around word: Range<Int>, _ json: Int?) -> Int? {
            double.value(in: bytes, around: word, json) ?? single.value(in: bytes, around: word, json)
        }
    }

    /// What stands between two quotes of one kind. Which of two begins a name is not known in such bytes.
    private struct QuotedName {
        let quote: UInt8
        private var text = -1 ..< -1
        private var value: Int?

        init(quote: UInt8) { self.quote = quote }

        mutating func value(in bytes: UnsafeRawBufferPointer, around word: Range<Int>, _ json: Int?) -> Int? {
            if text.upperBound < word.upperBound {
                while text.upperBound < word.upperBound {
                    let start = text.upperBound + 1
                    text = start..<(bytes[start...].firstIndex(of: quote) ?? bytes.count)
                }
                // The quotes may have backslashes before them.
                let end = bytes[text].lastIndex { $0 != UInt8(ascii: "\\") }.map { $0 + 1 } ?? text.lowerBound
                let name = text.lowerBound..<end
                value = isQuoted(name, in: bytes) ? MalformedText.value(in: bytes, of: name, json) : nil
            }
            // An unusual name may have quotes in it.
            return text.lowerBound <= word.lowerBound ? value : nil
        }
    }

    private static func value(in bytes: UnsafeRawBufferPointer, behind name: Int) -> Int? {
        var at = name
        let end = min(bytes.count, name + longestQuotes)
        at = skip(in: bytes, from: at, to: end, isQuote)
        // `name[0].x`, `name[x][]`, `name.x`. What stands in brackets may be a part of the value.
        var (hasBrackets, hasSteps) = (false, false)
        while at < end {
            if bytes[at] == UInt8(ascii: "[") {
                hasBrackets = true
                at = bytes[at..<end].firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? end
            } else if bytes[at] == UInt8(ascii: "."), at + 1 < end, bytes[at + 1].isWordByte {
                hasSteps = true
                at = bytes[(at + 1)..<end].firstIndex { !$0.isWordByte } ?? end
            } else {
                break
            }
            at = skip(in: bytes, from: at, to: end, isQuote)
        }
        // mail.example.com: is a host.
        let isHost = hasSteps && !hasBrackets
        if at >= end, end < bytes.count, !isHost { return name }
        at = skipSpace(in: bytes, from: at)
        guard at < bytes.count else { return nil }
        let (mark, next) = character(in: bytes, at: at)
        switch mark {
        case UInt8(ascii: "="): at = next
        case _ where isHost: return nil
        case UInt8(ascii: ":"): at = next
        case UInt8(ascii: "-") where next < bytes.count && bytes[next] == UInt8(ascii: ">"): at = next + 1
        default: return nil
        }
        return hasBrackets ? name : skipSpace(in: bytes, from: at)
    }

    // MARK: JSON

    /// Returns where what should be JSON begins.
    /// - Parameter isWithin: whether an object within the bytes counts.
    static func startOfJSON(in bytes: UnsafeRawBufferPointer, isWithin: Bool) -> Int? {
        if beginsAsJSON(bytes) { return 0 }
        return isWithin ? startOfObject(in: bytes) : nil
    }

    /// Returns where the first object within text begins, which may have the quotes of Python, or be embedded in a string.
    static func startOfObject(in bytes: UnsafeRawBufferPointer) -> Int? {
        TextPayload.start(in: bytes, before: #""'\"#)
    }

    /// Whether it begins as an object, or as a list of what is in JSON: `[info]` is the beginning of a line.
    private static func beginsAsJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let text = bytes.starts(with: "\u{FEFF}".utf8) ? bytes.dropFirst("\u{FEFF}".utf8.count) : bytes[...]
        guard let start = text.firstIndex(where: { !$0.isWhiteSpace }) else { return false }
        guard bytes[start] == UInt8(ascii: "[") else { return bytes[start] == UInt8(ascii: "{") }
        return bytes[(start + 1)...].first { !$0.isWhiteSpace }.map { "{[\"".utf8.contains($0) } ?? false
    }

    /// Whether a name stands in quotes, with or without a backslash before both.
    private static func isQuoted(_ name: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Bool {
        guard name.lowerBound > 0, name.upperBound < bytes.count else { return false }
        let (quote, end) = (bytes[name.lowerBound - 1], bytes[name.upperBound])
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return false }
        let isEscaped = name.lowerBound > 1 && bytes[name.lowerBound - 2] == UInt8(ascii: "\\")
        return end == (isEscaped ? UInt8(ascii: "\\") : quote)
    }

    /// Whether a quoted name is plainly the value of a member: `"kind":"email",`.
    private static func isValue(_ name: Range<Int>, in bytes: UnsafeRawBufferPointer) -> Bool {
        let next = bytes[(name.upperBound + 1)...].first { !$0.isWhiteSpace }
        guard next.map({ ",}]".utf8.contains($0) }) ?? true else { return false }
        let before = bytes[..<(name.lowerBound - 1)]
        guard let colon = before.lastIndex(where: { !$0.isWhiteSpace }), bytes[colon] == UInt8(ascii: ":"),
            let end = bytes[..<colon].last(where: { !$0.isWhiteSpace })
        else { return false }
        return end.isWordByte || end == UInt8(ascii: "\"") || end == UInt8(ascii: "'")
    }

    // MARK: characters

    /// Returns the place behind such bytes, and sequences for terminals among them.
    private static func skip(
        in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, _ isSkipped: (UInt8) -> Bool
    ) -> Int {
        var at = start
        while at < end, let next = isSkipped(bytes[at]) ? at + 1 : endOfEscape(in: bytes, at: at) { at = next }
        return at
    }

    /// Returns the place behind white space, and sequences for terminals in it.
    private static func skipSpace(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var at = skip(in: bytes, from: start, to: bytes.count) { $0.isWhiteSpace }
        while at < bytes.count, bytes[at] >= 0x80,
            let space = wideSpaces.first(where: { bytes[at...].starts(with: $0) })
        {
            at = skip(in: bytes, from: at + space.count, to: bytes.count) { $0.isWhiteSpace }
        }
        return at
    }

    /// Spaces that are pasted, and those that keyboards for Japanese write.
    private static let wideSpaces = ["\u{A0}", "\u{3000}", "\u{200B}"].map { Array($0.utf8) }

    /// Returns a byte and the place behind it. Full-width characters, as keyboards for Japanese write them, are those of ASCII.
    private static func character(in bytes: UnsafeRawBufferPointer, at start: Int) -> (UInt8, end: Int) {
        // U+FF01 to U+FF3F
        guard start + 2 < bytes.count, bytes[start] == 0xEF, bytes[start + 1] == 0xBC,
            (0x81...0xBF).contains(bytes[start + 2])
        else { return (bytes[start], start + 1) }
        return (bytes[start + 2] - 0x60, start + 3)
    }

    /// Returns the end of a sequence for terminals, as colours have it: ESC[36m, ESC(B.
    /// - Returns: `nil` if there is none at this place.
    private static func endOfEscape(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int? {
        guard bytes[start] == 0x1B, start + 2 < bytes.count else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "["):
            let end = bytes[(start + 2)...].firstIndex { !(0x30...0x3F).contains($0) }
            return end.flatMap { (0x40...0x7E).contains(bytes[$0]) ? $0 + 1 : nil }
        case UInt8(ascii: "("), UInt8(ascii: ")"): return start + 3
        default: return nil
        }
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "]"),
            UInt8(ascii: ")"):
            true
        default: false
        }
    }
}
