/// Makes untrusted text harmless on a terminal and in a log. A person who can write a log entry or name a file must not
/// be able to move the reader's cursor, recolour or rename the reader's window, reorder text, begin a line of their
/// own, or make a name that looks like another one by characters that nobody sees.
package enum SafeText {
    /// Returns `text` with escapes for control characters, for characters that change the direction or order of others, and
    /// for invisible ones. Joiners, selectors of forms and the letters of flags stay where they have an effect on what is in
    /// front of them, as real text needs it: in emoji, and in the writing of some languages.
    /// - Parameter keepingLines: whether the text may have several lines: line breaks stay, and a tab becomes four
    ///   spaces.
    package static func neutralised(_ text: String, keepingLines: Bool = false) -> String {
        neutralised(text, keepingLines: keepingLines, isName: false)
    }

    /// Returns a name without anything invisible, so that two names that differ look different.
    package static func neutralised(name: String) -> String { neutralised(name, isName: true) }

    /// Returns a text on one line, as a name or as any other.
    package static func neutralised(_ text: String, isName: Bool) -> String {
        neutralised(text, keepingLines: false, isName: isName)
    }

    /// Whether a text on one line is shown as it is.
    package static func isSafe(_ text: String) -> Bool { isSafe(text, keepingLines: false, isName: false) }

    private static func neutralised(_ text: String, keepingLines: Bool, isName: Bool) -> String {
        guard !isSafe(text, keepingLines: keepingLines, isName: isName) else { return text }
        var result = ""
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where keepingLines: result += "\n"
            case "\t" where keepingLines: result += "    "
            case _ where isUnsafe(scalar, after: isName ? nil : before):
                result += escape(scalar)
                before = nil
                continue
            default: result.unicodeScalars.append(scalar)
            }
            before = scalar
        }
        return result
    }

    private static func isSafe(_ text: String, keepingLines: Bool, isName: Bool) -> Bool {
        // Bytes are compared faster than characters are put together.
        var bytes = text
        let isPlain = bytes.withUTF8 { bytes in
            bytes.indices.allSatisfy { place in
                !mayBeginUnsafe(bytes, place) || keepingLines && bytes[place] == 0x0A
            }
        }
        guard !isPlain else { return true }
        var before: Unicode.Scalar?
        return text.unicodeScalars.allSatisfy { scalar in
            defer { before = scalar }
            return keepingLines && scalar == "\n" || !isUnsafe(scalar, after: isName ? nil : before)
        }
    }

    /// Does the same and joins all lines into one.
    package static func neutralisedLine(_ text: String) -> String {
        neutralised(text, keepingLines: true).replacing("\n", with: "; ")
    }

    /// Whether the UTF-8 of a character that may be unsafe may begin at a place.
    @inline(__always)
    private static func mayBeginUnsafe(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
        switch bytes[place] {
        case 0x20..<0x7F: false
        case 0x00...0x1F, 0x7F, 0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xEF, 0xF3: true
        // Most of Japanese begins with the first, and emoji with the second.
        case 0xE3: bytes[place + 1] == 0x85
        case 0xF0: bytes[place + 1] == 0x9B || bytes[place + 1] == 0x9D
        default: false
        }
    }

    /// Whether a character is unsafe wherever it is.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0x3165...0xFDFF: false  // ASCII, most of Chinese, Japanese and Korean
        case 0x00...0x1F, 0x7F...0x9F: true  // C0, DEL and C1, which some terminals take for escape sequences
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // direction of writing
        case 0x2028, 0x2029: true  // line and paragraph separators
        case 0xFFF9...0xFFFB: true
        default: isInvisible(scalar) && !isJoiner(scalar)
        }
    }

    /// Whether a character is unsafe behind another one.
    /// - Parameter before: is shown as it is; `nil` if there is none.
    private static func isUnsafe(_ scalar: Unicode.Scalar, after before: Unicode.Scalar?) -> Bool {
        isUnsafe(scalar) || isJoiner(scalar) && !(before.map { affects(scalar, $0) } ?? false)
    }

    /// Whether a character has no look of its own.
    /// - Source: Unicode 15.1, DerivedCoreProperties.txt, Default_Ignorable_Code_Point
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F, 0x202A...0x202E,
            0x2060...0x206F, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFF8, 0x1BCA0...0x1BCA3,
            0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            true
        default: false
        }
    }

    /// Whether an invisible character changes how others are shown: zero-width joiners and non-joiners, selectors of forms, and
    /// the letters of a flag.
    package static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C...0x200D, 0xFE00...0xFE0F, 0xE0020...0xE007F, 0xE0100...0xE01EF: true
        default: false
        }
    }

    /// Whether a joiner could change how the character in front of it is shown. Latin letters look the same with any.
    private static func affects(_ joiner: Unicode.Scalar, _ before: Unicode.Scalar) -> Bool {
        switch joiner.value {
        case 0xE0020...0xE007F: before.value == 0x1F3F4 || (0xE0020...0xE007E).contains(before.value)
        case 0x200C...0x200D: !before.isASCII && !(0x200C...0x200D).contains(before.value)
        // Keys such as 1️⃣.
        case 0xFE0F where before.isASCII: ("0"..."9").contains(before) || before == "#" || before == "*"
        default: !before.isASCII && !isJoiner(before)
        }
    }

    /// Returns an escape as in JSON: `\n`, `\u001b`, `\udb40\udc41`.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}

extension String {
    /// The text as a single line that is harmless on a terminal and in a log, for text that may contain names, file
    /// contents or words of senders.
    package var oneLine: String { SafeText.neutralisedLine(self) }
}

extension SafeText {
    /// Makes JSON harmless on a terminal. JSON escapes only the C0 control characters; it may contain any other
    /// character that a terminal acts on.
    /// - Returns: the same JSON with an escape such as `\u009b` for each character that is unsafe on a terminal, and
    ///   `\ufffd` for U+FFFD and for bytes that are not UTF-8. White space between tokens stays white space; line breaks stay.
    package static func neutralised(json: [UInt8]) -> [UInt8] {
        guard !json.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == UInt8(ascii: "\n") }) else { return json }
        // Within strings, JSON has tabs and carriage returns only as escapes.
        let spaced = json.map { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        let text = String(decoding: spaced, as: UTF8.self).replacing("\u{FFFD}", with: escape("\u{FFFD}"))
        return Array(neutralised(text, keepingLines: true).utf8)
    }
}
