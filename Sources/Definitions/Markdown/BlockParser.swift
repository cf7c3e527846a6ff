import Model

/// Splits lines into blocks exactly as Redcarpet (no extensions) does, with which daifuku renders definitions.
///
/// It reads forward only. A search that fails is remembered, so the time is at most linear per level of nesting.
///
/// - Source: behaviour of `parse_block` and the functions below it in vmg/redcarpet, ext/redcarpet/markdown.c.
struct BlockParser {
    let lines: [SourceLine]
    let depth: Int
    var at = 0
    /// The tags that have no end tag.
    private var unclosed: Set<ExactString> = []
    /// The next line with the end of a comment, from the line of the last search; `lines.count` when there is none.
    private var nextCommentEnd: Int?

    /// The deepest nesting of lists. Deeper ones become text of the item above them; Redcarpet drops them.
    static let maximumDepth = 16

    static func blocks(of lines: [SourceLine], depth: Int = 0) -> [MarkdownBlock] {
        var parser = BlockParser(lines: lines, depth: depth)
        var blocks: [MarkdownBlock] = []
        while let line = parser.current {
            if line.isBlank {
                parser.at += 1
            } else {
                blocks += parser.next(line)
            }
        }
        return blocks
    }

    var current: SourceLine? { at < lines.count ? lines[at] : nil }

    /// Parses the block that begins at `line`, which is the current line and not blank. An underlined heading may also
    /// end the paragraph before it.
    private mutating func next(_ line: SourceLine) -> [MarkdownBlock] {
        if line.isHeading { return [heading(line)] }
        if line.text.first == UInt8(ascii: "<"), let block = html(line) { return [block] }
        if line.isRule {
            at += 1
            return [MarkdownBlock(content: .rule, lines: [line])]
        }
        if line.isQuote { return [quote()] }
        if line.isIndentedCode { return [code()] }
        if let marker = itemMarker(at: at) { return [list(isOrdered: marker.isOrdered)] }
        return paragraph()
    }

    private mutating func heading(_ line: SourceLine) -> MarkdownBlock {
        at += 1
        let level = min(line.text.prefix { $0 == UInt8(ascii: "#") }.count, 6)
        var text = line.dropping(level)
        text = text.dropping(text.indentation)
        var end = text.text.endIndex
        while end > text.text.startIndex, text.text[end - 1] == UInt8(ascii: "#") { end -= 1 }
        while end > text.text.startIndex, text.text[end - 1] == UInt8(ascii: " ") { end -= 1 }
        let trimmed = SourceLine(number: line.number, column: text.column, text: text.text[..<end])
        return MarkdownBlock(content: .heading(level: level, isUnderlined: false), lines: [trimmed])
    }

    /// Parses everything up to an empty line, heading, rule or quotation. Lists do not end it.
    private mutating func paragraph() -> [MarkdownBlock] {
        var text: [SourceLine] = []
        while let line = current, !line.isBlank {
            if let last = text.last {
                if let level = line.underlineLevel {
                    at += 1
                    let heading = MarkdownBlock(content: .heading(level: level, isUnderlined: true), lines: [last])
                    let before = Array(text.dropLast())
                    return before.isEmpty ? [heading] : [MarkdownBlock(content: .paragraph, lines: before), heading]
                }
                if line.isHeading || line.isRule || line.isQuote { break }
            }
            text.append(line)
            at += 1
        }
        return [MarkdownBlock(content: .paragraph, lines: text)]
    }

    /// Parses quoted lines and all lines directly after them, up to the next empty line.
    private mutating func quote() -> MarkdownBlock {
        var text: [SourceLine] = []
        while let line = current {
            let next = at + 1 < lines.count ? lines[at + 1] : nil
            if line.isBlank, !(next.map { $0.isQuote || $0.isBlank } ?? false) { break }
            text.append(line)
            at += 1
        }
        return MarkdownBlock(content: .quote, lines: text)
    }

    private mutating func code() -> MarkdownBlock {
        var text: [SourceLine] = []
        while let line = current, line.isIndentedCode || line.isBlank {
            text.append(line)
            at += 1
        }
        return MarkdownBlock(content: .code, lines: text)
    }

    /// Parses a comment or a block-level element that begins and ends a line; `nil` when it does not end a line.
    private mutating func html(_ first: SourceLine) -> MarkdownBlock? {
        guard let closing = HTMLBlock.closing(of: first.text) else { return nil }
        let isComment = closing == HTMLBlock.commentEnd
        guard let end = isComment ? lineOfCommentEnd(first) : lineOfEndTag(closing),
            HTMLBlock.line(lines[end].text, endsWith: closing)
        else { return nil }
        let text = Array(lines[at...end])
        at = end + 1
        return MarkdownBlock(content: .html, lines: text)
    }

    private mutating func lineOfEndTag(_ tag: String) -> Int? {
        guard !unclosed.contains(tag) else { return nil }
        let end = lines[at...].firstIndex { HTMLBlock.line($0.text, endsWith: tag) }
        if end == nil { unclosed.insert(tag) }
        return end
    }

    /// Returns the next line that contains the end of a comment.
    private mutating func lineOfCommentEnd(_ first: SourceLine) -> Int? {
        if HTMLBlock.hasCommentEnd(first.text.dropFirst(4)) { return at }
        if let known = nextCommentEnd, known > at { return known < lines.count ? known : nil }
        let end = lines[(at + 1)...].firstIndex { HTMLBlock.hasCommentEnd($0.text) }
        nextCommentEnd = end ?? lines.count
        return end
    }
}
