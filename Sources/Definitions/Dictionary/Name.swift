import Model

/// The rules for names of categories, events and parameters: `\w+` in ASCII, at most 64 characters.
enum Name {
    static let maximumLength = 64

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns what is wrong with a name and what to write instead; `nil` when it is valid.
    static func fault(of name: String) -> (rule: LintRule, message: String)? {
        if name.isEmpty { return (.invalidName, "a name is missing") }
        if !name.utf8.allSatisfy(isWordByte) {
            let message = "`\(shown(name))` is not a name: write letters a-z, digits and _ only, such as"
            return (.invalidName, "\(message) `\(suggestion(for: name))`")
        }
        if name.utf8.count > maximumLength {
            let message = "`\(shown(name))` has \(name.utf8.count) characters: names have at most \(maximumLength)"
            return (.longName, message)
        }
        return nil
    }

    /// Whether the parsed text is also in the source lines, except for backslashes. It is not when Markdown removed
    /// underscores from it.
    static func isWritten(_ name: Substring, in lines: [SourceLine]) -> Bool {
        let escape = UInt8(ascii: "\\")
        let name = name.utf8.filter { $0 != escape }
        return lines.contains { line in
            let text = line.text.contains(escape) ? line.text.filter { $0 != escape }[...] : line.text
            return text.places(of: name).first { _ in true } != nil
        }
    }

    /// Returns a text as messages quote it: shortened if it is long.
    static func shown(_ text: String) -> String {
        let line = text.prefix { !$0.isNewline }
        return line.count > 80 ? "\(line.prefix(80))…" : String(line)
    }

    private static func suggestion(for name: String) -> String {
        let words = name.halfWidth.utf8.prefix(maximumLength).split { !isWordByte($0) }
        return words.isEmpty ? "tap_button" : words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
    }
}
