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
    /// - Returns: the text of the paragraph without them.
    mutating func take(_ block: MarkdownBlock, _ problems: inout ProblemList) -> String {
        let text = block.text
        // Most paragraphs have none.
        guard block.lines.contains(where: { Self.mayBegin($0.text) }) else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var rest: [String] = []
        for (index, line) in lines.enumerated() {
            // Tags that are left out may have line breaks.
            let number = lines.count == block.lines.count ? block.lines[index].number : block.line
            if !take(line.trimmed, number, in: block, &problems) { rest.append(line) }
        }
        return rest.count == lines.count ? text : rest.joined(separator: "\n").trimmed
    }

    /// Whether a line may begin with `sent` or `extra`, in any spelling.
    private static func mayBegin(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first(where: { !" \t*_`".utf8.contains($0) }) else { return false }
        // Full-width letters are beyond ASCII.
        return "sSeE<".utf8.contains(first) || first >= 0x80
    }

    /// - Returns: whether the line is an annotation.
    private mutating func take(
        _ text: String, _ line: Int, in block: MarkdownBlock, _ problems: inout ProblemList
    ) -> Bool {
        if text == Self.allowed || text == Self.refused {
            if allowsExtra != nil { repeated(text, line, &problems) }
            allowsExtra = text == Self.allowed
            return true
        }
        if let name = text.rest(after: Self.sentAs)?.trimmed, !name.isEmpty {
            // Only the first is looked for in the paragraph, so that a text of nothing else does not take quadratic time.
            guard sentName == nil else {
                repeated(text, line, &problems)
                return true
            }
            sentName = (name, line)
            if name.utf8.count > Name.maximumBytes {
                let message = "a name has at most \(Name.maximumBytes) bytes"
                problems.add(.longName, line, message, at: Name.shown(name))
            } else if !Name.isWritten(name[...], after: "sent as", in: block.lines) {
                let message = "Markdown reads the name as `\(Name.shown(name))`: write it in `` ` ``"
                problems.add(.boldName, line, message)
            }
            return true
        }
        let words = text.halfWidth.split(separator: ":", maxSplits: 1).map(\.trimmed)
        guard words.count == 2 else { return false }
        let key = String(words[0].lowercased().map { $0 == "_" || $0 == "-" ? " " : $0 })
        guard key == "sent as" || key == "extra parameters" || key == "extra parameter" else { return false }
        let suggestion =
            key == "sent as"
            ? "\(Self.sentAs)\(words[1].isEmpty ? "NAME" : Name.shown(words[1]))"
            : words[1].lowercased().hasPrefix("refuse") ? Self.refused : Self.allowed
        let message = "`\(Name.shown(text))` is only a description: write `\(suggestion)`"
        problems.add(.misspelledAnnotation, line, message, at: text, as: .warning)
        return false
    }

    private func repeated(_ text: String, _ line: Int, _ problems: inout ProblemList) {
        let message = "this is said already in this text: remove one of them"
        problems.add(.repeatedAnnotation, line, message, at: text)
    }
}
