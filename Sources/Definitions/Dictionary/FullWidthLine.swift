import Model

/// A line that an input method for Japanese has made text: `＃＃ search`, `・ order： ！string`, `-　order: !string`. Whoever
/// wrote it sees a heading or a parameter.
struct FullWidthLine {
    /// What to write.
    var correction: String
    /// An error where an event or parameter is surely lost; lines of one word and another may be text.
    var severity: DefinitionProblem.Severity

    /// - Parameter line: one that begins neither a heading nor a list item.
    init?(_ line: SourceLine) {
        guard line.text.contains(where: { $0 >= 0x80 }) else { return nil }
        let text = line.string.unicodeScalars
        let sign = text.drop { $0.halfWidth == " " }
        if let heading = Self.heading(sign, indentation: text[..<sign.startIndex]) {
            self = heading
        } else if let parameter = Self.parameter(sign, indentation: text[..<sign.startIndex]) {
            self = parameter
        } else {
            return nil
        }
    }

    private init(_ correction: String, _ severity: DefinitionProblem.Severity) {
        self.correction = Name.shown(correction)
        self.severity = severity
    }

    private typealias Text = Substring.UnicodeScalarView

    /// Third and lower headings mean nothing anyway, and the title is only shown.
    private static func heading(_ text: Text, indentation: Text) -> FullWidthLine? {
        let marks = text.prefix { $0.halfWidth == "#" }
        let name = String(text[marks.endIndex...]).halfWidth.trimmed
        guard !name.isEmpty, hasFullWidth(marks) || hasFullWidth(indentation) else { return nil }
        switch marks.count {
        case 1 where text[marks.endIndex...].first?.halfWidth == " ": return FullWidthLine("# \(name)", .warning)
        case 2: return FullWidthLine("## \(name)", .error)
        default: return nil
        }
    }

    private static func parameter(_ text: Text, indentation: Text) -> FullWidthLine? {
        guard let bullet = text.first, "-*+・･•−–—".unicodeScalars.contains(bullet.halfWidth) else { return nil }
        let rest = text.dropFirst().drop { $0.halfWidth == " " }
        guard hasFullWidth(indentation) || hasFullWidth(text[..<rest.startIndex]),
            let line = ParameterLine(String(rest).halfWidth), line.before.isEmpty
        else { return nil }
        let isSure = line.type.hasPrefix("!") || ParameterType(builtIn: line.type) != nil
        guard isSure || line.after.allSatisfy(\.isWhitespace) else { return nil }
        return FullWidthLine("- \(line.written)", isSure ? .error : .warning)
    }

    private static func hasFullWidth(_ text: Text) -> Bool { text.contains { !$0.isASCII } }
}

extension FullWidthLine {
    /// What the text of a list item says when its full-width signs are taken for the ASCII ones.
    /// - Returns: `nil` when that is what daifuku reads, and when it is no parameter either.
    static func parameter(in text: String, read: ParameterLine?) -> ParameterLine? {
        let plain = text.halfWidth
        guard plain != text, let line = ParameterLine(plain), line.before.isEmpty else { return nil }
        return line.written == read?.written && read?.before.isEmpty == true ? nil : line
    }
}

extension String {
    /// With the full-width forms of ASCII characters, which an input method for Japanese leaves behind, made ASCII.
    var halfWidth: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map(\.halfWidth)))
    }
}

extension Unicode.Scalar {
    var halfWidth: Unicode.Scalar {
        switch value {
        // The no-break space is what a Mac writes while the option key is still down.
        case 0x3000, 0xA0: " "
        case 0xFF01...0xFF5E: Unicode.Scalar(UInt8(value - 0xFEE0))
        default: self
        }
    }
}
