/// Makes untrusted text harmless on a terminal and in a log. A person who can write a log entry or name a file must not
/// be able to move the reader's cursor, recolour or rename the reader's window, reorder text, or begin a line of their
/// own.
package enum SafeText {
    /// Returns `text` with escapes for control characters and for characters that change the direction or order of
    /// others.
    /// - Parameter keepingLines: whether the text may have several lines: line breaks stay, and a tab becomes four
    ///   spaces.
    package static func neutralised(_ text: String, keepingLines: Bool = false) -> String {
        // Bytes are compared faster than characters are put together.
        var bytes = text
        let isPlain = bytes.withUTF8 { bytes in
            bytes.allSatisfy { !mayBeginUnsafe($0) || keepingLines && $0 == 0x0A }
        }
        guard !isPlain, text.unicodeScalars.contains(where: { isUnsafe($0) && !(keepingLines && $0 == "\n") })
        else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where keepingLines: result += "\n"
            case "\t" where keepingLines: result += "    "
            case _ where isUnsafe(scalar): result += escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Does the same and joins all lines into one.
    package static func neutralisedLine(_ text: String) -> String {
        neutralised(text, keepingLines: true).replacing("\n", with: "; ")
    }

    /// Whether the UTF-8 of an unsafe character may begin with a byte.
    @inline(__always)
    private static func mayBeginUnsafe(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2 || byte == 0xEF
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

    /// Returns an escape as in JSON: `\n`, `\u001b`.
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

extension String {
    /// The text as a single line that is harmless on a terminal and in a log, for text that may contain names, file
    /// contents or words of senders.
    package var oneLine: String { SafeText.neutralisedLine(self) }
}

extension SafeText {
    /// Makes JSON harmless on a terminal. JSON escapes only the C0 control characters; it may contain any other
    /// character that a terminal acts on.
    /// - Returns: the same JSON with an escape such as `\u009b` for each character that is unsafe on a terminal, and
    ///   `\ufffd` for bytes that are not UTF-8. White space between tokens stays white space; line breaks stay.
    package static func neutralised(json: [UInt8]) -> [UInt8] {
        guard !json.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == newline }) else { return json }
        var safe: [UInt8] = []
        safe.reserveCapacity(json.count + 64)
        var decoder = Unicode.UTF8.ForwardParser()
        var bytes = json.makeIterator()
        while true {
            switch decoder.parseScalar(from: &bytes) {
            case .valid(let encoded): append(Unicode.UTF8.decode(encoded), encoded, to: &safe)
            case .error: escape("\u{FFFD}", to: &safe)
            case .emptyInput: return safe
            }
        }
    }

    private static let newline = UInt8(ascii: "\n")

    private static func append(
        _ scalar: Unicode.Scalar, _ encoded: Unicode.UTF8.EncodedScalar, to safe: inout [UInt8]
    ) {
        switch scalar {
        case "\n": safe.append(newline)
        // Within strings, JSON has these only as escapes.
        case "\t", "\r": safe.append(UInt8(ascii: " "))
        case _ where isUnsafe(scalar): escape(scalar, to: &safe)
        default: safe.append(contentsOf: encoded)
        }
    }

    private static func escape(_ scalar: Unicode.Scalar, to safe: inout [UInt8]) {
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            safe += "\\u".utf8
            safe += String(repeating: "0", count: 4 - digits.count).utf8
            safe += digits.utf8
        }
    }
}
