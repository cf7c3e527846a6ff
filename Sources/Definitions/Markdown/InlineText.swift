import Model

/// The plain text of Markdown after rendering: `**a**` and `` `a` `` are `a`, `[a](url)` is `a`.
///
/// Single emphasis (`_a_`, `*a*`) stays unchanged: daifuku turns it off. A mark that is not closed is text. A search
/// for a closing mark fails at most once for each kind, so the time is linear.
struct InlineText {
    private let text: [UInt8]
    private let end: Int
    private var at: Int
    private var plain: [UInt8] = []
    /// The opening marks that have no closing mark.
    private var unclosed: Set<[UInt8]> = []
    /// The ranges of code between three or more backticks.
    private var fences: [Range<Int>] = []

    /// The longest run of backticks that is a mark, since a search may fail once for each length. The excess of longer
    /// runs is text.
    private static let longestFence = 8

    static func plain(_ lines: [SourceLine]) -> String {
        if lines.count == 1, !mayHaveMarks(lines[0].text) {
            return trimmed(String(decoding: lines[0].text, as: UTF8.self))
        }
        var inline = InlineText(Array(lines.map(\.text).joined(separator: [UInt8(ascii: "\n")])))
        inline.run()
        return InlineText.trimmed(String(decoding: inline.plain, as: UTF8.self))
    }

    /// Returns the numbers of the lines that begin within a fence: a code span of three or more backticks, which
    /// Redcarpet finds across the lines of a paragraph. A single backtick may be a typing error, and must not hide a
    /// lost line.
    static func linesWithinFences(_ lines: [SourceLine]) -> Set<Int> {
        guard lines.contains(where: { $0.text.contains(UInt8(ascii: "`")) }) else { return [] }
        var inline = InlineText(Array(lines.map(\.text).joined(separator: [UInt8(ascii: "\n")])))
        inline.run()
        var within: Set<Int> = []
        var start = 0
        var fences = inline.fences[...]
        for line in lines {
            while let fence = fences.first, fence.upperBound <= start { fences.removeFirst() }
            if let fence = fences.first, fence.contains(start) { within.insert(line.number) }
            start += line.text.count + 1
        }
        return within
    }

    /// Whether the text may have marks; most texts have none. A single `*` or `_` is not a mark.
    private static func mayHaveMarks(_ text: ArraySlice<UInt8>) -> Bool {
        var last: UInt8 = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "&"):
                return true
            case UInt8(ascii: "*"), UInt8(ascii: "_"):
                if byte == last { return true }
            default: break
            }
            last = byte
        }
        return false
    }

    private init(_ text: [UInt8]) {
        self.text = text
        end = text.count
        at = 0
        plain.reserveCapacity(text.count)
    }

    private mutating func run() {
        while at < end {
            let byte = text[at]
            let isMark =
                switch byte {
                case UInt8(ascii: "\\"): escape()
                case UInt8(ascii: "`"): codeSpan()
                case UInt8(ascii: "*"), UInt8(ascii: "_"): strong(byte)
                case UInt8(ascii: "["): link()
                case UInt8(ascii: "<"): comment()
                case UInt8(ascii: "&"): entity()
                default: false
                }
            if !isMark {
                plain.append(byte)
                at += 1
            }
        }
    }

    private mutating func escape() -> Bool {
        guard at + 1 < end, "\\`*_{}[]()#+-.!:|&<>^~=".utf8.contains(text[at + 1]) else { return false }
        plain.append(text[at + 1])
        at += 2
        return true
    }

    private mutating func codeSpan() -> Bool {
        let fence = Array(text[at...].prefix { $0 == UInt8(ascii: "`") })
        guard fence.count <= Self.longestFence else { return keep(fence.count - Self.longestFence) }
        guard let close = find(fence, from: at + fence.count) else { return false }
        let code = text[at + fence.count..<close]
        // The rest of a longer run after its first backtick is not a fence.
        if fence.count >= 3, at == 0 || text[at - 1] != UInt8(ascii: "`") { fences.append(at..<close) }
        let spaces = code.prefix { $0 == UInt8(ascii: " ") }.count
        plain += code.dropFirst(spaces).reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
        at = close + fence.count
        return true
    }

    /// Parses two or three of the same mark, closed by as many that have no space before them.
    private mutating func strong(_ mark: UInt8) -> Bool {
        let count = text[at...].prefix { $0 == mark }.count
        guard count <= 3 else { return keep(count - 3) }
        guard count > 1, at + count < end, !isSpace(text[at + count]) else { return false }
        let marks = [UInt8](repeating: mark, count: count)
        guard let close = find(marks, from: at + count, afterSpace: false) else { return false }
        var inner = InlineText(Array(text[at + count..<close]))
        inner.unclosed = unclosed.union([[mark, mark], [mark, mark, mark]])
        inner.run()
        plain += inner.plain
        at = close + count
        return true
    }

    /// Parses `[text](url)` without brackets or line breaks inside.
    private mutating func link() -> Bool {
        let label = text[(at + 1)...].prefix { !"[]\n".utf8.contains($0) }
        guard label.endIndex + 1 < end, text[label.endIndex] == UInt8(ascii: "]"),
            text[label.endIndex + 1] == UInt8(ascii: "(")
        else { return false }
        let url = text[(label.endIndex + 2)...].prefix { !"[()\n".utf8.contains($0) }
        guard url.endIndex < end, text[url.endIndex] == UInt8(ascii: ")") else { return false }
        plain += label
        at = url.endIndex + 1
        return true
    }

    private mutating func comment() -> Bool {
        guard text[at...].starts(with: "<!--".utf8), let close = find(Array("-->".utf8), from: at + 4) else {
            return false
        }
        at = close + 3
        return true
    }

    private mutating func entity() -> Bool {
        for (name, meaning) in [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'")]
        where text[at...].starts(with: name.utf8) {
            plain += meaning.utf8
            at += name.utf8.count
            return true
        }
        return false
    }

    /// Keeps `count` bytes as text.
    private mutating func keep(_ count: Int) -> Bool {
        plain += text[at..<at + count]
        at += count
        return true
    }

    private mutating func find(_ mark: [UInt8], from start: Int, afterSpace: Bool = true) -> Int? {
        guard !unclosed.contains(mark) else { return nil }
        var index = start
        while index + mark.count <= end {
            if text[index] == mark[0], text[index..<index + mark.count].elementsEqual(mark),
                afterSpace || !isSpace(text[index - 1])
            {
                return index
            }
            index += 1
        }
        unclosed.insert(mark)
        return nil
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }

    private static func trimmed(_ text: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard let first = text.utf8.first, let last = text.utf8.last, isSpace(first) || isSpace(last) else {
            return text
        }
        let front = text.utf8.drop(while: isSpace)
        let back = front.reversed().drop(while: isSpace).count
        return String(decoding: front.prefix(back), as: UTF8.self)
    }
}
