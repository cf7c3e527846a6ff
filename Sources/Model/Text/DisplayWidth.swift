/// How many columns of a terminal a text takes: two for East Asian wide characters and emoji, none for combining marks.
///
/// Terminals differ in this; the widths are those that most of them use.
/// - Source: Unicode Standard Annex #11 (East Asian Width) and #51 (emoji presentation)
package enum DisplayWidth {
    package static func columns(_ text: String) -> Int { columns(text[...]) }

    package static func columns(_ text: Substring) -> Int {
        var text = text
        return text.withUTF8(columnsOfSimple) ?? text.reduce(0) { $0 + columns($1) }
    }

    /// Returns the width of a text in which each scalar is a character: ASCII, and most of Japanese. It takes much longer
    /// to find the characters of other texts.
    /// - Returns: `nil` for these.
    private static func columnsOfSimple(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var (width, place) = (0, 0)
        while place < text.count {
            let byte = text[place]
            if byte >= 0x20 && byte < 0x7F {
                width += 1
                place += 1
            } else if byte >= 0xE3 && byte <= 0xEF, place + 3 <= text.count {
                let (second, third) = (UInt32(text[place + 1] & 0x3F), UInt32(text[place + 2] & 0x3F))
                guard isSimpleAndWide(UInt32(byte & 0xF) << 12 | second << 6 | third) else { return nil }
                width += 2
                place += 3
            } else {
                return nil
            }
        }
        return width
    }

    /// Whether a scalar is one of those that Japanese is mostly written with. None of them joins the one before or after.
    @inline(__always)
    private static func isSimpleAndWide(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x3000...0x3029, 0x3041...0x3096, 0x30A0...0x30FF, 0x4E00...0x9FFF, 0xFF01...0xFF60: true
        default: false
        }
    }

    /// - Parameter cluster: a character as readers see it, such as a letter with its accents or a family emoji.
    package static func columns(_ cluster: Character) -> Int {
        var width = 0
        for scalar in cluster.unicodeScalars {
            // U+FE0F selects the emoji form of the preceding character.
            if scalar.value == 0xFE0F, width > 0 { return 2 }
            // The halfwidth sound marks take a column, although they belong to the preceding character.
            width = scalar.value == 0xFF9E || scalar.value == 0xFF9F ? width + 1 : max(width, columns(scalar))
        }
        return width
    }

    /// Returns the longest prefix of `text` that fits, in whole characters.
    package static func prefix<Text: StringProtocol>(_ text: Text, columns limit: Int) -> Text.SubSequence {
        var left = limit
        var end = text.startIndex
        while end < text.endIndex {
            left -= columns(text[end])
            if left < 0 { break }
            end = text.index(after: end)
        }
        return text[..<end]
    }

    /// Returns `text`, or as much of it as fits before a `…`.
    package static func cut(_ text: String, to width: Int) -> String {
        guard columns(text) > width else { return text }
        return width > 0 ? prefix(text, columns: width - 1) + "…" : ""
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) ? 0 : 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        // A flag consists of two regional indicators and is as wide as one emoji.
        return scalar.properties.isEmojiPresentation || wideRanges.contains { $0.contains(scalar.value) }
    }

    /// Wide and fullwidth characters by block, without emoji, which the standard library knows. Unassigned characters
    /// count like the rest of their block.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // Hangul consonants that begin a syllable
        0x2329...0x232A,
        0x2E80...0x303E,  // CJK radicals and punctuation; U+303F is the half-wide filler
        0x3041...0x3247,  // kana, Bopomofo, enclosed letters
        0x3250...0x4DBF,
        0x4E00...0xA4CF,  // CJK ideographs, Yi
        0xA960...0xA97F,
        0xAC00...0xD7A3,  // Hangul syllables
        0xF900...0xFAFF,
        0xFE10...0xFE19,
        0xFE30...0xFE6F,
        0xFF01...0xFF60,  // fullwidth forms
        0xFFE0...0xFFE6,
        0x16FE0...0x18DFF,  // Tangut, Khitan
        0x1AFF0...0x1B2FF,  // kana extensions, Nüshu
        0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}
