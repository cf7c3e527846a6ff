import Model

/// A paragraph.
enum TextBlock {
    /// Returns `text`, broken between words at the width of the terminal. Each line has `indent` spaces and a line
    /// break.
    /// - Parameter most: the most lines; the last one ends with `…` if there is more.
    static func wrapped(
        _ text: String, indent: Int, _ style: Style, tint: Tint = .plain, lines most: Int = .max
    ) -> String {
        let all = lines(text, room: style.width.map { max(20, $0 - indent) } ?? .max)
        return all.prefix(most).enumerated().map { index, line in
            var styled = StyledLine(String(repeating: " ", count: indent))
            styled.append(line + (index == most - 1 && all.count > most ? " …" : ""), tint)
            return styled.rendered(style.uncut) + "\n"
        }.joined()
    }

    /// - Parameter room: the columns of a line. A single word may be longer, but a word with wide characters may be
    ///   broken anywhere, since Japanese and Chinese are written without spaces.
    static func lines(_ text: String, room: Int) -> [String] {
        let text = SafeText.neutralised(text, keepingLines: true)
        // Most texts are one short line.
        if isOneLine(text, room: room) { return [text] }
        var lines: [String] = []
        for paragraph in text.split(separator: "\n") {
            guard room < .max else {
                lines.append(isOneLine(paragraph) ? String(paragraph) : words(paragraph).joined(separator: " "))
                continue
            }
            var line = ""
            for word in words(paragraph) {
                if !line.isEmpty, DisplayWidth.columns(line) + 1 + DisplayWidth.columns(word) > room {
                    lines.append(line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + word
                guard word.count < DisplayWidth.columns(word) else { continue }
                var rest = line[...]
                while true {
                    let beginning = DisplayWidth.prefix(rest, columns: room)
                    guard !beginning.isEmpty, beginning.endIndex < rest.endIndex else { break }
                    lines.append(String(beginning))
                    rest = rest[beginning.endIndex...]
                }
                line = String(rest)
            }
            lines.append(line)
        }
        return lines
    }

    /// Whether a text is a single line that fits, as it is.
    static func isOneLine(_ text: String, room: Int) -> Bool { text.utf8.count <= room && isOneLine(text) }

    private static func words(_ paragraph: Substring) -> [Substring] { paragraph.split(separator: " ") }

    /// Whether splitting a text into lines and words, and joining these, changes nothing.
    private static func isOneLine(_ text: some StringProtocol) -> Bool {
        let space = UInt8(ascii: " ")
        var last = space
        for byte in text.utf8 {
            if byte == 0x0A || byte == space && last == space { return false }
            last = byte
        }
        return last != space
    }
}

extension String {
    /// The words of the text, with one space between them.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
