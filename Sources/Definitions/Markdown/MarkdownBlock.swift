/// One block of a Markdown text, as Redcarpet without extensions cuts it.
struct MarkdownBlock {
    enum Content {
        /// `lines` is its text alone, one line.
        case heading(level: Int, isUnderlined: Bool)
        case paragraph
        case list(items: [ListItem], isOrdered: Bool)
        case quote, code, html, rule
    }

    var content: Content
    /// What it was made of; empty for lists, whose items have it.
    var lines: [SourceLine]

    /// Where it begins.
    var line: Int {
        if case .list(let items, _) = content { return items.first?.line ?? 0 }
        return lines.first?.number ?? 0
    }

    /// Its text as it would be shown.
    var text: String { InlineText.plain(lines) }
}

/// One item of a list.
struct ListItem {
    /// Its own text: the first line without its marker, and the lines that go on with it.
    let lines: [SourceLine]
    let children: [MarkdownBlock]
    let line: Int
    /// Where its marker stands in the file's line, from 0.
    let column: Int
    /// Its own text as it would be shown.
    let text: String

    init(lines: [SourceLine], children: [MarkdownBlock], line: Int, column: Int) {
        self.lines = lines
        self.children = children
        self.line = line
        self.column = column
        text = InlineText.plain(lines)
    }
}
