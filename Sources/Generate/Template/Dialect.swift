import Model

/// The rules for strings and comments in a language.
///
/// Descriptions and values come from files that anybody may have written: none of them may end a comment or a string.
enum Dialect: String, Sendable, CaseIterable {
    /// Line comments, and string literals of Swift.
    case swift
    /// Text between triple quotation marks, and string literals of Python.
    case python
    /// Comments between `/*` and `*/`, and the string literals that JSON, Kotlin, Java, JavaScript, C# and Dart share.
    case json

    /// Returns a string literal with its quotation marks.
    func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            // It begins an interpolation in Kotlin and Dart.
            case "$" where self == .json: literal += escape(scalar)
            case _ where scalar.isHidden: literal += escape(scalar)
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// Returns the lines of a text in a form that is safe in a comment.
    func comment(_ text: String) -> [String] {
        let lines = text.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: \.endsLine)
        var cleaned = lines.map { line in
            var clean = String.UnicodeScalarView(line.map { $0.isHidden ? " " : $0 })
            while clean.last?.properties.isWhitespace == true { clean.removeLast() }
            return escapedInComment(String(clean))
        }
        while cleaned.last?.isEmpty == true { cleaned.removeLast() }
        return Array(cleaned.drop { $0.isEmpty })
    }

    private func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let padded = String(repeating: "0", count: max(4 - digits.count, 0)) + digits
        switch self {
        case .swift: return "\\u{\(digits)}"
        case .python where scalar.value > 0xFFFF:
            return "\\U" + String(repeating: "0", count: 8 - padded.count) + padded
        case .json where scalar.value > 0xFFFF:
            return String(scalar).utf16.map { "\\u" + String($0, radix: 16) }.joined()
        case .python, .json: return "\\u\(padded)"
        }
    }

    private func escapedInComment(_ line: String) -> String {
        switch self {
        case .swift: return line
        case .python: return String(literal(line).dropFirst().dropLast())
        case .json:
            var escaped = ""
            for scalar in line.unicodeScalars {
                let last = escaped.unicodeScalars.last
                // Comments may be nested in Kotlin.
                let wouldEnd = (scalar == "/" && last == "*") || (scalar == "*" && last == "/")
                // Java decodes `\u002a` before it looks for the end, and refuses `\users`.
                let wouldBeDecoded = scalar == "u" && last == "\\"
                if wouldEnd || wouldBeDecoded { escaped += " " }
                escaped.unicodeScalars.append(scalar)
            }
            return escaped
        }
    }
}

extension Unicode.Scalar {
    /// Whether languages treat the character as the end of a line.
    fileprivate var endsLine: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether it is a control character or another that makes a text look different from its content.
    ///
    /// - Source: CVE-2021-42574, source code that is displayed in another order than compilers read it.
    fileprivate var isHidden: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// The description of a language in the heads of its templates.
struct Language {
    var dialect = Dialect.json
    /// The language's names of the types.
    var types: [BaseType: String] = [:]
    var rules = IdentifierRules()

    func scope(_ kind: NameScope.Kind) -> NameScope { NameScope(kind, rules) }
}
