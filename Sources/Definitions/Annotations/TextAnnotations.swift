import Model

/// The annotations in the text of an event, a category or a type: lines of a paragraph that Gloss acts on. The spelling is
/// exact, and each is a line of its own. daifuku shows them as a part of the description.
struct TextAnnotations {
    private(set) var sentName: (name: String, line: Int)?
    private(set) var allowsExtra: Bool?

    private static let allowed = "extra parameters: allowed"
    private static let refused = "extra parameters: refused"
    private static let sentAs = "sent as: "

    /// Reads the annotations in a paragraph.
    /// - Returns: the paragraph without them; `nil` when nothing is left.
    mutating func take(_ block: MarkdownBlock, _ problems: inout ProblemList) -> MarkdownBlock? {
        // Most paragraphs have none.
        guard block.lines.contains(where: { Self.mayBegin($0.text) }) else { return block }
        var rest = block
        rest.lines = block.lines.filter { line in
            !take(InlineText.plain([line], links: block.links), line, &problems)
        }
        return rest.lines.isEmpty ? nil : rest
    }

    /// Whether a line may begin with `sent` or `extra`, in any spelling.
    private static func mayBegin(_ text: ArraySlice<UInt8>) -> Bool {
        let start = text.drop { $0 == 0x20 || $0 == 0x09 || "*_`".utf8.contains($0) }
        guard let first = start.first else { return false }
        // Full-width letters are beyond ASCII.
        return "sSeE".utf8.contains(first) || first >= 0x80
    }

    /// - Returns: whether the line is an annotation.
    private mutating func take(_ text: String, _ line: SourceLine, _ problems: inout ProblemList) -> Bool {
        if text == Self.allowed || text == Self.refused {
            if allowsExtra != nil { repeated(text, line, &problems) }
            allowsExtra = text == Self.allowed
            return true
        }
        if let name = text.rest(after: Self.sentAs), !name.trimmed.isEmpty {
            let name = name.trimmed
            if sentName != nil { repeated(text, line, &problems) }
            sentName = (name, line.number)
            if name.utf8.count > Name.maximumBytes {
                let message = "a name has at most \(Name.maximumBytes) bytes"
                problems.add(.longName, line.number, message, at: Name.shown(name))
            } else if !Name.isWritten(name[...], in: [line]) {
                let message = "Markdown reads the name as `\(Name.shown(name))`: write it in `` ` ``"
                problems.add(.boldName, line.number, message)
            }
            return true
        }
        let words = text.halfWidth.lowercased().split(separator: ":", maxSplits: 1).map(\.trimmed)
        let key = words.first?.replacing(/[_-]/, with: " ") ?? ""
        guard words.count == 2, key == "sent as" || key == "extra parameters" || key == "extra parameter" else {
            return false
        }
        let suggestion =
            key == "sent as"
            ? "\(Self.sentAs)\(words[1].isEmpty ? "NAME" : Name.shown(words[1]))"
            : words[1].hasPrefix("refuse") ? Self.refused : Self.allowed
        let message = "`\(Name.shown(text))` is only a description: write `\(suggestion)`"
        problems.add(.misspelledAnnotation, line.number, message, at: text, as: .warning)
        return false
    }

    private func repeated(_ text: String, _ line: SourceLine, _ problems: inout ProblemList) {
        let message = "this is said already in this text: remove one of them"
        problems.add(.repeatedAnnotation, line.number, message, at: text)
    }
}
