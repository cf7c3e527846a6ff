extension InlineText {
    /// Parses `[text](url "title")`, `[text][reference]`, `[reference]` and, with nothing as its text, `![text](url)`.
    mutating func link() -> Bool {
        guard canSearch else { return false }
        let start = at
        guard let close = closingBracket(from: start + 1) else { return fail(from: start) }
        var next = close + 1
        while next < end, isSpace(text[next]) { next += 1 }
        let after: Int
        if next < end, text[next] == UInt8(ascii: "(") {
            guard let end = endOfURL(from: next + 1) else { return fail(from: start) }
            after = end + 1
        } else if next < end, text[next] == UInt8(ascii: "[") {
            guard let end = text[next..<end].firstIndex(of: UInt8(ascii: "]")) else { return fail(from: start) }
            let name = end == next + 1 ? text[start + 1..<close] : text[next + 1..<end]
            guard links.contains(name) else { return fail(from: start, to: end) }
            after = end + 1
        } else {
            guard links.contains(text[start + 1..<close]) else { return fail(from: start, to: close) }
            after = close + 1
        }
        if plain.last == UInt8(ascii: "!"), start > 0, text[start - 1] == UInt8(ascii: "!") {
            plain.removeLast()
            at = after
        } else {
            parse(start + 1..<close, next: after)
        }
        return true
    }

    private func closingBracket(from start: Int) -> Int? {
        var level = 1
        for index in start..<max(start, end) where text[index - 1] != UInt8(ascii: "\\") {
            if text[index] == UInt8(ascii: "[") { level += 1 }
            if text[index] == UInt8(ascii: "]") { level -= 1 }
            if level == 0 { return index }
        }
        return nil
    }

    /// Returns the place of the closing parenthesis, after a URL and perhaps a title.
    private func endOfURL(from start: Int) -> Int? {
        var index = start
        while index < end, isSpace(text[index]) { index += 1 }
        var level = 0
        while index < end {
            let byte = text[index]
            if byte == UInt8(ascii: "\\") {
                index += 2
                continue
            }
            if byte == UInt8(ascii: ")") {
                if level == 0 { return index }
                level -= 1
            } else if byte == UInt8(ascii: "(") {
                level += 1
            } else if isSpace(text[index - 1]), byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                return endOfTitle(byte, from: index + 1)
            }
            index += 1
        }
        return nil
    }

    private func endOfTitle(_ quote: UInt8, from start: Int) -> Int? {
        var isOpen = true
        var index = start
        while index < end {
            let byte = text[index]
            if byte == UInt8(ascii: "\\") {
                index += 1
            } else if byte == quote {
                isOpen = false
            } else if byte == UInt8(ascii: ")"), !isOpen {
                return index
            }
            index += 1
        }
        return nil
    }
}
