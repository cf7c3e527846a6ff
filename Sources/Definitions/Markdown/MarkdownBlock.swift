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

    /// Its first line.
    var line: Int {
        if case .list(let items, _) = content { return items.first?.line ?? 0 }
        return lines.first?.number ?? 0
    }

    /// Its text as it is displayed.
    var text: String { InlineText.plain(lines) }
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

    init(lines: [SourceLine], children: [MarkdownBlock], line: Int, column: Int) {
        self.lines = lines
        self.children = children
        self.line = line
        self.column = column
        text = InlineText.plain(lines)
    }
}

/// HTML that Markdown treats as a block.
enum HTMLBlock {
    static let commentEnd = "-->"

    static func hasCommentEnd(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.dropLast(2).contains { text[$0] == 0x2D && text[$0 + 1] == 0x2D && text[$0 + 2] == 0x3E }
    }

    /// Returns the end of the element or comment that `line` begins: `-->` or `</tag>` in lower case.
    static func closing(of line: ArraySlice<UInt8>) -> String? {
        if line.starts(with: "<!--".utf8) { return commentEnd }
        let name = line.dropFirst().prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: " ") }
        guard name.count <= 10, name.count < line.count - 1 else { return nil }
        let tag = String(decoding: name, as: UTF8.self).lowercased()
        return tags.contains(tag) ? "</\(tag)>" : nil
    }

    /// Whether `line` ends with `closing` and spaces.
    static func line(_ line: ArraySlice<UInt8>, endsWith closing: String) -> Bool {
        var end = line.endIndex
        while end > line.startIndex, line[end - 1] == UInt8(ascii: " ") { end -= 1 }
        let tail = line[..<end].suffix(closing.utf8.count)
        return tail.elementsEqual(closing.utf8) { byte, wanted in
            byte == wanted || ((0x41...0x5A).contains(byte) && byte | 0x20 == wanted)
        }
    }

    private static let tags: Set<String> = [
        "p", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "ul", "del", "div", "ins", "pre", "form", "math", "table",
        "figure", "iframe", "script", "style", "fieldset", "noscript", "blockquote", "article", "aside", "canvas",
        "dd", "footer", "header", "hgroup", "output", "section", "tfoot", "video",
    ]
}

extension Collection<UInt8> where Index == Int {
    /// Returns all places of `wanted` in order; none when it is empty.
    func places(of wanted: [UInt8]) -> some Sequence<Int> {
        (startIndex...Swift.max(startIndex, endIndex - wanted.count)).lazy.filter { start in
            guard let first = wanted.first, start + wanted.count <= endIndex, self[start] == first else { return false }
            return self[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
