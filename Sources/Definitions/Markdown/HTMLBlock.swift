import Model

/// What Markdown takes for HTML that stands alone.
enum HTMLBlock {
    static let commentEnd = "-->"

    static func hasCommentEnd(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.dropLast(2).contains { text[$0] == 0x2D && text[$0 + 1] == 0x2D && text[$0 + 2] == 0x3E }
    }

    /// What ends the element or comment that `line` begins: `-->` or `</tag>` in lower case.
    static func closing(of line: ArraySlice<UInt8>) -> String? {
        if line.starts(with: "<!--".utf8) { return commentEnd }
        let name = line.dropFirst().prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: " ") }
        guard name.count <= 10, name.count < line.count - 1 else { return nil }
        let tag = String(decoding: name, as: UTF8.self).lowercased()
        return tags.contains(tag) ? "</\(tag)>" : nil
    }

    /// Whether nothing but spaces comes after `closing` at the end of `line`.
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
