import Model

/// A line that is plain text because of a Japanese input method: `＃＃ search`, `・ order： ！string`, `-　order: !string`.
/// To its author it looks like a heading or a parameter.
struct FullWidthLine {
    /// The line to write instead.
    var correction: String
    /// The severity: an error if an event or parameter is certainly lost. A line of one word and another may be text.
    var severity: DefinitionProblem.Severity

    /// - Parameter line: a line that begins neither a heading nor a list item.
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

    /// Headings of the third level and below have no meaning, and the title is only displayed.
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
        let isSure = line.type.base.hasPrefix("!") || ParameterType(builtIn: line.type.base) != nil
        guard isSure || line.after.allSatisfy(\.isWhitespace) else { return nil }
        return FullWidthLine("- \(line.canonicalText)", isSure ? .error : .warning)
    }

    private static func hasFullWidth(_ text: Text) -> Bool { text.contains { !$0.isASCII } }
}

extension FullWidthLine {
    /// Returns the parameter in a list item's text when its full-width signs are replaced by ASCII.
    /// - Returns: `nil` when daifuku reads the same, or when it is not a parameter either way.
    static func parameter(in text: String, read: ParameterLine?) -> ParameterLine? {
        let plain = text.halfWidth
        guard plain != text, let line = ParameterLine(plain), line.before.isEmpty else { return nil }
        return line.canonicalText == read?.canonicalText && read?.before.isEmpty == true ? nil : line
    }
}

extension String {
    /// The text with ASCII characters in place of their full-width forms, which a Japanese input method leaves.
    var halfWidth: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map(\.halfWidth)))
    }
}

extension Unicode.Scalar {
    var halfWidth: Unicode.Scalar {
        switch value {
        // The no-break space is typed on a Mac while the option key is still held.
        case 0x3000, 0xA0: " "
        case 0xFF01...0xFF5E: Unicode.Scalar(UInt8(value - 0xFEE0))
        default: self
        }
    }
}
