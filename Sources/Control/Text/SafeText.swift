/// Makes text that came from elsewhere harmless on a terminal: whoever can write a log entry must not be able to move the
/// cursor, recolour or rename the window of whoever reads it, or reorder what is read.
package enum SafeText {
    /// `text` with control characters, and those that change the direction or order of others, written as escapes.
    package static func neutralised(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// The same for text of several lines: line breaks and tabs stay.
    package static func neutralisedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { neutralised(String($0).replacing("\t", with: "    ")) }
            .joined(separator: "\n")
    }

    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL and C1, which some terminals take for escape sequences
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // direction of writing
        case 0x2028, 0x2029: true  // line and paragraph separators
        case 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }

    /// As JSON writes it: `\n`, `\u001b`.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }
}
