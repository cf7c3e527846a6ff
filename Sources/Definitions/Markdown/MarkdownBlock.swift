import Model

/// One block of a Markdown text, as Redcarpet without extensions splits it.
struct MarkdownBlock {
    enum Content {
        /// A heading. `lines` is one line, its text without marks.
        case heading(level: Int, isUnderlined: Bool)
        case paragraph
        case list(items: [ListItem], isOrdered: Bool)
        case quote, code, html, rule
    }

    var content: Content
    /// Its lines; empty for lists, whose items have them.
    var lines: [SourceLine]
    let links: LinkReferences

    /// Its first line.
    var line: Int {
        if case .list(let items, _) = content { return items.first?.line ?? 0 }
        return lines.first?.number ?? 0
    }

    /// Its text as it is displayed.
    var text: String { InlineText.plain(lines, links: links) }
}

/// One item of a list.
struct ListItem {
    /// Its own text: the first line without its marker, and the lines that continue it.
    let lines: [SourceLine]
    let children: [MarkdownBlock]
    let line: Int
    /// The column of its marker in the file's line, from 0.
    let column: Int
    /// Its own text as it is displayed.
    let text: String

    init(lines: [SourceLine], links: LinkReferences, children: [MarkdownBlock], line: Int, column: Int) {
        self.lines = lines
        self.children = children
        self.line = line
        self.column = column
        text = InlineText.plain(lines, links: links)
    }
}

/// HTML that Markdown treats as a block.
enum HTMLBlock {
    /// What begins with a line.
    enum Opening: Equatable {
        case comment
        /// `<hr/>`, which has no end tag.
        case rule
        /// An element, with the end tag in lower case.
        case element(end: String)
    }

    static func opening(of line: ArraySlice<UInt8>) -> Opening? {
        let rest = line.dropFirst()
        let name = rest.prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: " ") }
        if name.count <= 10, name.endIndex < line.endIndex {
            let tag = String(decoding: name, as: UTF8.self).lowercased()
            if tags.contains(tag) { return .element(end: "</\(tag)>") }
        }
        if rest.starts(with: "!--".utf8) { return .comment }
        return String(decoding: rest.prefix(2), as: UTF8.self).lowercased() == "hr" ? .rule : nil
    }

    /// Whether `line` ends with the tag and spaces.
    static func line(_ line: ArraySlice<UInt8>, endsWith tag: String) -> Bool {
        let spaces = line.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        return line.dropLast(spaces).suffix(tag.utf8.count).elementsEqual(tag.utf8) { byte, wanted in
            byte == wanted || ((0x41...0x5A).contains(byte) && byte | 0x20 == wanted)
        }
    }

    private static let tags: Set<String> = [
        "abbr", "address", "article", "aside", "audio", "blockquote", "canvas", "dd", "del", "details", "div", "dl",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup",
        "hr", "iframe", "ins", "math", "noscript", "ol", "output", "p", "pre", "script", "section", "style", "summary",
        "table", "tfoot", "ul", "video",
    ]
}
