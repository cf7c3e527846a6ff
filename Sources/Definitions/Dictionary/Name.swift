/// What may be the name of a category, an event or a parameter: `\w+` in ASCII, at most 64 characters.
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

    /// What is wrong with a name, and what to write instead; `nil` when nothing is.
    static func fault(of name: String) -> String? {
        if name.isEmpty { return "a name is missing" }
        if !name.utf8.allSatisfy(isWordByte) {
            return
                "`\(shown(name))` is no name: write letters a-z, digits and _ only, such as `\(suggestion(for: name))`"
        }
        if name.utf8.count > maximumLength {
            return "`\(shown(name))` has \(name.utf8.count) characters: names have at most \(maximumLength)"
        }
        return nil
    }

    /// Whether a name stands in the lines as it is read. It does not where Markdown took underscores out of it.
    static func isWritten(_ name: Substring, in lines: [SourceLine]) -> Bool {
        lines.contains { String(decoding: $0.text.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self).contains(name) }
    }

    /// A text as messages quote it, which are short however long it is.
    static func shown(_ text: String) -> String {
        let line = text.prefix { !$0.isNewline }
        return line.count > 80 ? "\(line.prefix(80))…" : String(line)
    }

    private static func suggestion(for name: String) -> String {
        let words = name.utf8.prefix(maximumLength).split { !isWordByte($0) }
        return words.isEmpty ? "tap_button" : words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
    }
}
