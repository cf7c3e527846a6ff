import Model

/// The plain text of Markdown after rendering: `**a**` and `` `a` `` are `a`, `[a](url)` is `a`, tags are nothing.
///
/// Single emphasis (`_a_`, `*a*`) stays unchanged: daifuku turns it off. A mark that is not closed is text. Searches for
/// closing marks that fail have a budget for the whole text, so the time is linear.
///
/// - Source: behaviour of `parse_inline` and the functions below it in vmg/redcarpet 3.5.1, ext/redcarpet/markdown.c.
struct InlineText {
    let text: [UInt8]
    var end: Int
    var at = 0
    private var depth = 0
    let links: LinkReferences
    var plain: [UInt8] = []
    private var budget = Self.failingBytes
    /// The ranges of code between three or more backticks.
    private var fences: [Range<Int>] = []
    /// The place of the first HTML tag. Tags are not in the plain text.
    private var firstTag: Int?

    /// The bytes that failing searches may read in one text; every mark after that is text.
    private static let failingBytes = 1 << 20
    private static let maximumDepth = 16

    static func plain(_ lines: [SourceLine], links: LinkReferences = .none) -> String {
        if lines.count == 1, !mayHaveMarks(lines[0].text) {
            return trimmed(String(decoding: lines[0].text, as: UTF8.self))
        }
        return trimmed(String(decoding: InlineText(lines, links).plain, as: UTF8.self))
    }

    /// Returns the first line with an HTML tag.
    static func lineWithTag(_ lines: [SourceLine]) -> SourceLine? {
        guard lines.contains(where: { $0.text.contains(UInt8(ascii: "<")) }) else { return nil }
        let inline = InlineText(lines, .none)
        guard let tag = inline.firstTag else { return nil }
        return lines[inline.text[..<tag].count { $0 == UInt8(ascii: "\n") }]
    }

    /// Returns the numbers of the lines that begin within a fence: a code span of three or more backticks, which
    /// Redcarpet finds across the lines of a paragraph. A single backtick may be a typing error, and must not hide a
    /// lost line.
    static func linesWithinFences(_ lines: [SourceLine]) -> Set<Int> {
        guard lines.contains(where: { $0.text.contains(UInt8(ascii: "`")) }) else { return [] }
        let inline = InlineText(lines, .none)
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

    private init(_ lines: [SourceLine], _ links: LinkReferences) {
        text = Array(lines.map(\.text).joined(separator: [UInt8(ascii: "\n")]))
        end = text.count
        self.links = links
        plain.reserveCapacity(text.count)
        run()
    }

    private mutating func run() {
        guard depth <= Self.maximumDepth else { return }
        while at < end {
            let byte = text[at]
            let isMark =
                switch byte {
                case UInt8(ascii: "\\"): escape()
                case UInt8(ascii: "`"): codeSpan()
                case UInt8(ascii: "*"), UInt8(ascii: "_"): strong(byte)
                case UInt8(ascii: "["): link()
                case UInt8(ascii: "<"): tag()
                case UInt8(ascii: "&"): entity()
                default: false
                }
            if !isMark {
                plain.append(byte)
                at += 1
            }
        }
    }

    /// Parses a part of the text, and continues at `next`.
    mutating func parse(_ part: Range<Int>, next: Int) {
        let outerEnd = end
        (at, end) = (part.lowerBound, part.upperBound)
        depth += 1
        run()
        depth -= 1
        (at, end) = (next, outerEnd)
    }

    private mutating func escape() -> Bool {
        guard at + 1 < end, "\\`*_{}[]()#+-.!:|&<>^~=".utf8.contains(text[at + 1]) else { return false }
        plain.append(text[at + 1])
        at += 2
        return true
    }

    private mutating func codeSpan() -> Bool {
        guard canSearch else { return false }
        let fence = text[at..<end].prefix { $0 == UInt8(ascii: "`") }.count
        let start = at + fence
        guard let close = endOfCode(fence, from: start) else { return false }
        // The rest of a longer run after its first backtick is not a fence.
        if fence >= 3, at == 0 || text[at - 1] != UInt8(ascii: "`") { fences.append(at..<close - fence) }
        let code = text[start..<close - fence].drop { $0 == UInt8(ascii: " ") }
        plain += code.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
        at = close
        return true
    }

    /// Returns the end of the first `count` backticks.
    private mutating func endOfCode(_ count: Int, from start: Int) -> Int? {
        var found = 0
        for index in start..<end {
            found = text[index] == UInt8(ascii: "`") ? found + 1 : 0
            if found == count { return index + 1 }
        }
        fail(from: at)
        return nil
    }

    // MARK: emphasis

    /// Parses two or three of the same mark, closed by as many that have no space before them.
    private mutating func strong(_ mark: UInt8) -> Bool {
        let count = text[at..<min(at + 4, end)].prefix { $0 == mark }.count
        guard (2...3).contains(count), at + count < end, !isSpace(text[at + count]) else { return false }
        return count == 2 ? double(mark, from: at + 2) : triple(mark, from: at + 3)
    }

    private mutating func double(_ mark: UInt8, from start: Int) -> Bool {
        guard canSearch else { return false }
        var index = start
        while index < end, canSearch, let found = nextMark(mark, from: index) {
            if found + 1 < end, text[found + 1] == mark, found > start, !isSpace(text[found - 1]) {
                parse(start..<found, next: found + 2)
                return true
            }
            index = found + 1
        }
        return fail(from: start)
    }

    /// Three marks are closed by three; where the first that could close are fewer, two of them may be closed.
    private mutating func triple(_ mark: UInt8, from start: Int) -> Bool {
        guard canSearch else { return false }
        var index = start
        while index < end, canSearch, let found = nextMark(mark, from: index) {
            index = found
            if isSpace(text[found - 1]) { continue }
            let count = text[found..<min(found + 3, end)].prefix { $0 == mark }.count
            if count == 3 {
                parse(start..<found, next: found + 3)
                return true
            }
            return count == 2 ? false : double(mark, from: start - 1)
        }
        return fail(from: start)
    }

    /// Returns the next place of the mark after `start`, but not within a link.
    private mutating func nextMark(_ mark: UInt8, from start: Int) -> Int? {
        var index = start + 1
        while index < end {
            while index < end, text[index] != mark, text[index] != UInt8(ascii: "[") { index += 1 }
            if index >= end { return nil }
            if text[index - 1] == UInt8(ascii: "\\") {
                index += 1
                continue
            }
            if text[index] == mark { return index }
            var within: Int?
            index = endOfBrackets(UInt8(ascii: "]"), from: index + 1, mark, &within) + 1
            while index < end, isSpace(text[index]) { index += 1 }
            if index >= end { return unclosed(from: start, within) }
            switch text[index] {
            case UInt8(ascii: "["): index = endOfBrackets(UInt8(ascii: "]"), from: index + 1, mark, &within)
            case UInt8(ascii: "("): index = endOfBrackets(UInt8(ascii: ")"), from: index + 1, mark, &within)
            default:
                if let within { return within }
                continue
            }
            if index >= end { return unclosed(from: start, within) }
            index += 1
        }
        return nil
    }

    /// Takes the search for the end of brackets that are not closed from the budget: the next search begins before them.
    private mutating func unclosed(from start: Int, _ within: Int?) -> Int? {
        fail(from: start)
        return within
    }

    private func endOfBrackets(_ close: UInt8, from start: Int, _ mark: UInt8, _ within: inout Int?) -> Int {
        var index = start
        while index < end, text[index] != close {
            if within == nil, text[index] == mark { within = index }
            index += 1
        }
        return index
    }

    // MARK: HTML

    /// Drops a tag, and keeps the address in `<https://example.com>`. A comment within text is text.
    private mutating func tag() -> Bool {
        guard canSearch else { return false }
        let start = at + 1
        let name = start < end && text[start] == UInt8(ascii: "/") ? start + 1 : start
        guard name < end, isAlphanumeric(text[name]) else { return false }
        let scheme = text[name..<end].drop { isAlphanumeric($0) || ".+-".utf8.contains($0) }.startIndex
        if scheme < end, let close = endOfAddress(from: start, scheme: scheme) {
            plain += text[start..<close].split(separator: UInt8(ascii: "\\")).joined()
            at = close + 1
            return true
        }
        guard let close = text[scheme..<end].firstIndex(of: UInt8(ascii: ">")) else { return fail(from: at) }
        firstTag = firstTag ?? at
        at = close + 1
        return true
    }

    private func endOfAddress(from start: Int, scheme: Int) -> Int? {
        let rest = text[scheme + 1..<end]
        if text[scheme] == UInt8(ascii: "@") {
            let close = rest.drop { isAlphanumeric($0) || "-._".utf8.contains($0) }
            return close.first == UInt8(ascii: ">") ? close.startIndex : nil
        }
        guard text[scheme] == UInt8(ascii: ":"), scheme > start + 1 else { return nil }
        let close = rest.firstIndex { "> '\"\n".utf8.contains($0) }
        return close.flatMap { $0 > scheme + 1 && text[$0] == UInt8(ascii: ">") ? $0 : nil }
    }

    private mutating func entity() -> Bool {
        let body = text[(at + 1)..<min(end, at + 12)]
        guard let close = body.firstIndex(of: UInt8(ascii: ";")) else { return false }
        let name = String(decoding: text[(at + 1)..<close], as: UTF8.self)
        guard let meaning = Self.entities[name] ?? Self.numbered(name) else { return false }
        plain += meaning.utf8
        at = close + 1
        return true
    }

    private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "nbsp": "\u{A0}"]

    private static func numbered(_ name: String) -> String? {
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        let number = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, number >= 32, let scalar = Unicode.Scalar(number) else { return nil }
        return String(scalar)
    }

    // MARK: searching

    var canSearch: Bool { budget > 0 }

    /// Takes a search that failed from the budget: up to `last`, or to the end.
    /// - Returns: `false`.
    @discardableResult
    mutating func fail(from start: Int, to last: Int? = nil) -> Bool {
        budget -= (last ?? end) - start
        return false
    }

    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }

    private func isAlphanumeric(_ byte: UInt8) -> Bool { byte != UInt8(ascii: "_") && byte.isWordByte }

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
