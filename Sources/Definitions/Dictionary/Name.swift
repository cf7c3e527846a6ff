import Model

/// The rules for names. Those of parameters are `\w+` in ASCII; categories and events have any name.
enum Name {
    /// Names of events are stored up to this length in bytes.
    static let maximumBytes = 256

    /// Returns what is wrong with a name and what to write instead; `nil` when it is valid.
    static func fault(of name: String, longest maximumLength: Int) -> (rule: LintRule, message: String)? {
        if name.isEmpty { return (.invalidName, "a name is missing") }
        if name.unicodeScalars.contains(where: isInvisible) {
            return (.invalidName, "`\(shown(name))` has characters that cannot be seen: write it without them")
        }
        let length = name.unicodeScalars.count
        if length > maximumLength {
            return (.longName, "`\(shown(name))` has \(length) characters: names have at most \(maximumLength)")
        }
        if name.utf8.count > maximumBytes {
            return (.longName, "`\(shown(name))` has \(name.utf8.count) bytes: names have at most \(maximumBytes)")
        }
        return nil
    }

    /// Returns what is probably a slip of a Japanese input method; `nil` when nothing is.
    static func slip(of name: String) -> (severity: DefinitionProblem.Severity, message: String)? {
        let trimmed = name.trimmed
        if trimmed != name {
            return (.error, "the full-width space is a part of the name: write `\(shown(trimmed))`")
        }
        let plain = name.halfWidth
        guard plain != name, plain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return (.warning, "`\(shown(name))` is another name than `\(shown(plain))`: write it without full-width signs")
    }

    /// Whether two names that differ in the character look the same, or a terminal obeys it.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: true
        default: false
        }
    }

    /// Whether the parsed text is also in the source lines, except for backslashes. It is not when Markdown removed
    /// underscores from it, or beside it.
    /// - Parameter start: what the lines say before it.
    static func isWritten(_ name: Substring, after start: String = "", in lines: [SourceLine]) -> Bool {
        firstUnwritten([name], after: start, in: lines) == nil
    }

    /// Returns the first of the texts that is not in the source lines, where they stand one after the other. It looks at each line
    /// once, however many texts there are.
    /// - Parameter start: what the lines say before them. It may have any marks.
    static func firstUnwritten<Text: StringProtocol>(
        _ texts: [Text], after start: String = "", in lines: [SourceLine]
    ) -> Text? {
        let (escape, bold) = (UInt8(ascii: "\\"), "__".utf8)
        let lines = lines.map { $0.text.contains(escape) ? $0.text.filter { $0 != escape }[...] : $0.text }[...]
        var rest = lines
        /// Goes on behind the next place of a text.
        /// - Returns: whether the text stands there without underscores beside it; `nil` if there is no such place.
        func take(_ text: some StringProtocol) -> Bool? {
            let text = text.utf8.filter { $0 != escape }
            while let line = rest.first {
                if let start = line.firstPlace(of: text) {
                    let after = line[(start + text.count)...]
                    rest[rest.startIndex] = after
                    return !line[..<start].suffix(bold.count).elementsEqual(bold) && !after.starts(with: bold)
                }
                rest.removeFirst()
            }
            return nil
        }
        if take(start) == nil { rest = lines }
        return texts.first { take($0) != true }
    }

    /// Returns a text as messages quote it: shortened if it is long.
    static func shown(_ text: String) -> String {
        let line = text.prefix { !$0.isNewline }
        return line.count > 80 ? "\(line.prefix(80))…" : String(line)
    }
}
