import Model

/// A line of output with its tints beside the text, so that it can be measured and cut before colours are added.
struct StyledLine: Sendable {
    /// A part of the text that is not plain.
    private struct Run: Sendable {
        /// Where it is, in bytes.
        var place: Range<Int>
        var tint: Tint
        var link: Hyperlink?
    }

    /// How long a line was when it was asked.
    struct End {
        fileprivate var bytes: Int
        fileprivate var runs: Int
        fileprivate var width: Int
    }

    private var text = ""
    private var runs: [Run] = []
    /// The number of columns so far.
    private(set) var width = 0

    init() {}

    init(_ text: String, _ tint: Tint = .plain) {
        append(text, tint)
    }

    /// The same text in one tint.
    func tinted(_ tint: Tint) -> StyledLine { StyledLine(text, tint) }

    var end: End { End(bytes: text.utf8.count, runs: runs.count, width: width) }

    /// Makes room for a text.
    mutating func reserve(bytes: Int, runs count: Int) {
        text.reserveCapacity(bytes)
        runs.reserveCapacity(count)
    }

    /// - Parameter link: the target of the text, for terminals that open links.
    mutating func append(_ text: String, _ tint: Tint = .plain, link: Hyperlink? = nil) {
        let start = self.text.utf8.count
        self.text += text
        width += DisplayWidth.columns(text)
        note(start..<self.text.utf8.count, tint, link)
    }

    mutating func append(_ line: StyledLine) {
        let start = text.utf8.count
        text += line.text
        width += line.width
        for run in line.runs {
            note(run.place.lowerBound + start..<run.place.upperBound + start, run.tint, run.link)
        }
    }

    /// Appends a text and pads it with spaces to `columns`.
    mutating func append(_ text: String, _ tint: Tint = .plain, columns: Int) {
        let start = width
        append(text, tint)
        append(spaces: start + columns - width)
    }

    /// - Parameter count: nothing is appended if it is negative.
    mutating func append(spaces count: Int) {
        text.append(spaces: count)
        width += max(0, count)
    }

    /// Removes all, but keeps its memory.
    mutating func removeAll() {
        text.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        width = 0
    }

    /// Removes and returns what was appended after an end.
    mutating func split(at end: End) -> StyledLine {
        var rest = StyledLine()
        rest.text = String(text[index(end.bytes)...])
        rest.width = width - end.width
        for run in runs where run.place.upperBound > end.bytes {
            let place = max(0, run.place.lowerBound - end.bytes)..<run.place.upperBound - end.bytes
            rest.note(place, run.tint, run.link)
        }
        removeAll(after: end)
        return rest
    }

    /// Removes what was appended after an end.
    mutating func removeAll(after end: End) {
        text = String(text[..<index(end.bytes)])
        width = end.width
        runs.removeSubrange(end.runs...)
        if let last = runs.last {
            runs[runs.count - 1].place = last.place.lowerBound..<min(last.place.upperBound, end.bytes)
        }
    }

    private mutating func note(_ place: Range<Int>, _ tint: Tint, _ link: Hyperlink?) {
        guard !place.isEmpty, tint != .plain || link != nil else { return }
        if let last = runs.last, last.place.upperBound == place.lowerBound, last.tint == tint, last.link == nil,
            link == nil
        {
            runs[runs.count - 1].place = last.place.lowerBound..<place.upperBound
        } else {
            runs.append(Run(place: place, tint: tint, link: link))
        }
    }

    private func index(_ byte: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: byte) }

    // MARK: rendering

    /// Returns the line without spaces at its end, and cut with `…` if it is wider than the style allows.
    func rendered(_ style: Style) -> String {
        var result = ""
        render(style, into: &result)
        return result
    }

    /// Appends what `rendered` returns.
    func render(_ style: Style, into output: inout String) {
        if style.isCut, let limit = style.width, width > limit { return cut(to: limit, style, into: &output) }
        guard !runs.isEmpty, style.isColoured || style.hasLinks else {
            output += text.withoutSpacesAtEnd
            return
        }
        var result = ""
        for (part, run) in parts { result += run.map { Self.marked(part, $0, style) } ?? part }
        output += result.withoutSpacesAtEnd
    }

    private func cut(to limit: Int, _ style: Style, into output: inout String) {
        var left = limit - 1
        for (part, run) in parts where left > 0 {
            let columns = DisplayWidth.columns(part)
            let text = columns > left ? DisplayWidth.prefix(part, columns: left) : part
            left -= columns
            output += run.map { Self.marked(text, $0, style) } ?? text
        }
        output += "…"
    }

    /// The parts of the text that look the same.
    private var parts: [(Substring, Run?)] {
        var (parts, end) = ([(Substring, Run?)](), text.startIndex)
        for run in runs {
            let (start, stop) = (index(run.place.lowerBound), index(run.place.upperBound))
            if end < start { parts.append((text[end..<start], nil)) }
            parts.append((text[start..<stop], run))
            end = stop
        }
        if end < text.endIndex { parts.append((text[end...], nil)) }
        return parts
    }

    /// Returns the text with its escape sequences.
    private static func marked(_ text: Substring, _ run: Run, _ style: Style) -> Substring {
        var text = text
        if style.isColoured, let code = run.tint.code { text = "\u{1B}[\(code)m\(text)\u{1B}[0m" }
        if style.hasLinks, let link = run.link { text = link.around(String(text))[...] }
        return text
    }
}

extension String {
    private static let spaces = (0...64).map { String(repeating: " ", count: $0) }

    /// - Parameter count: nothing is appended if it is negative.
    mutating func append(spaces count: Int) {
        guard count > 0 else { return }
        self += count < Self.spaces.count ? Self.spaces[count] : String(repeating: " ", count: count)
    }

    /// The text without spaces at its end.
    fileprivate var withoutSpacesAtEnd: Substring {
        var end = endIndex
        while end > startIndex {
            let before = utf8.index(before: end)
            guard utf8[before] == UInt8(ascii: " ") else { break }
            end = before
        }
        return self[..<end]
    }
}
