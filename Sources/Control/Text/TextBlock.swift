import Model

/// Running text.
enum TextBlock {
    /// `text`, broken between words at the terminal's width, each line after `indent` spaces and with its line break.
    static func wrapped(_ text: String, indent: Int, _ style: Style, tint: Tint = .plain) -> String {
        lines(text, room: style.width.map { max(20, $0 - indent) } ?? .max).map { line in
            var styled = StyledLine(String(repeating: " ", count: indent))
            styled.append(line, tint)
            return styled.rendered(style.uncut) + "\n"
        }.joined()
    }

    /// - Parameter room: columns that a line may have, unless a single word is longer.
    static func lines(_ text: String, room: Int) -> [String] {
        var lines: [String] = []
        for paragraph in SafeText.neutralised(text, keepingLines: true).split(separator: "\n") {
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, DisplayWidth.columns(line) + 1 + DisplayWidth.columns(word) > room {
                    lines.append(line)
                    line = ""
                }
                line += (line.isEmpty ? "" : " ") + word
            }
            lines.append(line)
        }
        return lines
    }
}
