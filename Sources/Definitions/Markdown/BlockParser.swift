import Model

/// Splits lines into blocks exactly as Redcarpet (no extensions) does, with which daifuku renders definitions.
///
/// It reads forward only. A search that fails is remembered, so the time is at most linear per level of nesting.
///
/// - Source: behaviour of `parse_block` and the functions below it in vmg/redcarpet, ext/redcarpet/markdown.c.
struct BlockParser {
    let lines: [SourceLine]
    let depth: Int
    let links: LinkReferences
    var at = 0
    /// The end tags with which no further line ends.
    private var unclosed: Set<ExactString> = []
    /// The end tags that no further line consists of.
    private var neverAlone: Set<ExactString> = []
    /// The next line with the end of a comment, from the line of the last search, and whether nothing follows it there;
    /// `lines.count` when there is none.
    private var nextCommentEnd: (line: Int, isAlone: Bool)?

    /// The lines that `<hr ...>` may go over. Redcarpet has no limit.
    private static let linesOfRule = 16

    /// The deepest nesting of lists. Deeper ones become text of the item above them; Redcarpet drops them.
    static let maximumDepth = 16

    /// Returns the blocks of a file.
    static func blocks(of file: [UInt8]) -> [MarkdownBlock] {
        var lines = SourceLine.lines(of: file)
        var links = LinkReferences()
        links.take(from: &lines, mayContinue: !file.contains(UInt8(ascii: "\r")))
        return blocks(of: lines.map(\.expandingTabs), depth: 0, links: links)
    }

    static func blocks(of lines: [SourceLine], depth: Int, links: LinkReferences) -> [MarkdownBlock] {
        var parser = BlockParser(lines: lines, depth: depth, links: links)
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
            return [block(.rule, [line])]
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
        return block(.heading(level: level, isUnderlined: false), [trimmed])
    }

    /// Parses everything up to an empty line, heading, rule or quotation. Lists do not end it.
    private mutating func paragraph() -> [MarkdownBlock] {
        var text: [SourceLine] = []
        while let line = current, !line.isBlank {
            if let last = text.last {
                if let level = line.underlineLevel {
                    at += 1
                    let heading = block(.heading(level: level, isUnderlined: true), [last])
                    let before = Array(text.dropLast())
                    return before.isEmpty ? [heading] : [block(.paragraph, before), heading]
                }
                if line.isHeading || line.isRule || line.isQuote { break }
            }
            text.append(line)
            at += 1
        }
        return [block(.paragraph, text)]
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
        return block(.quote, text)
    }

    private mutating func code() -> MarkdownBlock {
        var text: [SourceLine] = []
        while let line = current, line.isIndentedCode || line.isBlank {
            text.append(line)
            at += 1
        }
        return block(.code, text)
    }

    /// Parses HTML that begins and ends with a line; `nil` when it does not end with one.
    private mutating func html(_ first: SourceLine) -> MarkdownBlock? {
        let end: Int? =
            switch HTMLBlock.opening(of: first.text) {
            case .comment: lineOfCommentEnd(first)
            case .rule: lineOfRuleEnd()
            case .element(let tag): lineOfEndTag(tag)
            case nil: nil
            }
        guard let end else { return nil }
        let text = Array(lines[at...end])
        at = end + 1
        return block(.html, text)
    }

    /// Returns the current line if it ends with the tag, or the first one that begins with it or, if there is none,
    /// ends with it. Nothing else may follow it.
    private mutating func lineOfEndTag(_ tag: String) -> Int? {
        if HTMLBlock.line(lines[at].text, endsWith: tag) { return at }
        let ends = lines[at...].indices.lazy.filter { [lines] in HTMLBlock.line(lines[$0].text, endsWith: tag) }
        if !neverAlone.contains(tag) {
            let length = tag.utf8.count
            if let end = ends.first(where: { isBlank(lines[$0], after: lines[$0].text.startIndex + length) }) {
                return end
            }
            neverAlone.insert(tag)
        }
        guard !["</ins>", "</del>"].contains(tag), !unclosed.contains(tag) else { return nil }
        let end = ends.first
        if end == nil { unclosed.insert(tag) }
        return end
    }

    /// Returns the line of the first `-->`, if nothing follows it there.
    private mutating func lineOfCommentEnd(_ first: SourceLine) -> Int? {
        func end(in text: ArraySlice<UInt8>) -> Int? { text.firstPlace(of: Array("-->".utf8)) }
        if let end = end(in: first.text.dropFirst(3)) { return isBlank(first, after: end + 3) ? at : nil }
        if nextCommentEnd.map({ $0.line <= at }) ?? true {
            nextCommentEnd = (lines.count, false)
            for index in lines.indices.dropFirst(at + 1) {
                guard let end = end(in: lines[index].text) else { continue }
                nextCommentEnd = (index, isBlank(lines[index], after: end + 3))
                break
            }
        }
        return nextCommentEnd.flatMap { $0.isAlone ? $0.line : nil }
    }

    private func lineOfRuleEnd() -> Int? {
        let mark = UInt8(ascii: ">")
        guard let index = lines[at...].prefix(Self.linesOfRule).firstIndex(where: { $0.text.contains(mark) }),
            let end = lines[index].text.firstIndex(of: mark)
        else { return nil }
        return isBlank(lines[index], after: end + 1) ? index : nil
    }

    private func isBlank(_ line: SourceLine, after end: Int) -> Bool {
        line.text[end...].allSatisfy { $0 == UInt8(ascii: " ") }
    }

    private func block(_ content: MarkdownBlock.Content, _ lines: [SourceLine]) -> MarkdownBlock {
        MarkdownBlock(content: content, lines: lines, links: links)
    }
}
