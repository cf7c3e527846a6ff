/// How text for people is to look: everything about the reader that rendering depends on.
package struct Style: Sendable {
    /// The terminal's columns; `nil` when there is no terminal, and then nothing is cut or shortened.
    package var width: Int?
    /// Whether lines end at that width.
    package var isCut: Bool
    package var isColoured: Bool
    package var zone: Zone
    /// Whether the parameters that all events have in common are shown too.
    package var showsCommon: Bool

    package init(
        width: Int? = nil, isCut: Bool = true, isColoured: Bool = false, zone: Zone = .utc, showsCommon: Bool = false
    ) {
        self.width = width
        self.isCut = isCut
        self.isColoured = isColoured
        self.zone = zone
        self.showsCommon = showsCommon
    }
}

extension Style {
    /// The same for what has been broken into lines already.
    var uncut: Style {
        var style = self
        style.isCut = false
        return style
    }
}

/// What a piece of text is, by which it gets its colour.
package enum Tint: Sendable {
    case plain, heading, faint, good, note, warning, bad, accent

    /// Parameters of SGR, the escape sequence for colours. Only the sixteen colours that every theme defines.
    /// - Source: ECMA-48, 8.3.117
    fileprivate var code: String? {
        switch self {
        case .plain: nil
        case .heading: "1"
        case .faint: "2"
        case .good: "32"
        case .note: "36"
        case .warning: "33"
        case .bad: "31"
        case .accent: "35"
        }
    }
}

/// One line of output in pieces, so that it can be measured and cut before colours are put in.
package struct StyledLine: Sendable {
    private var pieces: [(text: String, tint: Tint)] = []
    /// Columns so far.
    package private(set) var width = 0

    package init() {}

    package init(_ text: String, _ tint: Tint = .plain) {
        append(text, tint)
    }

    package mutating func append(_ text: String, _ tint: Tint = .plain) {
        guard !text.isEmpty else { return }
        pieces.append((text, tint))
        width += DisplayWidth.columns(text)
    }

    package mutating func append(_ line: StyledLine) {
        pieces += line.pieces
        width += line.width
    }

    /// Appends and fills up with spaces to `columns`.
    package mutating func append(_ text: String, _ tint: Tint = .plain, columns: Int) {
        append(text, tint)
        let missing = columns - DisplayWidth.columns(text)
        if missing > 0 { append(String(repeating: " ", count: missing)) }
    }

    /// The line, cut with `…` where it is wider than the style allows, without spaces at its end.
    package func rendered(_ style: Style) -> String {
        let limit = style.isCut ? style.width ?? .max : .max
        let isCut = width > limit
        var left = isCut ? limit - 1 : limit
        var result = ""
        for piece in pieces where left > 0 {
            let columns = DisplayWidth.columns(piece.text)
            let text = columns > left ? String(DisplayWidth.prefix(piece.text, columns: left)) : piece.text
            left -= columns
            if style.isColoured, let code = piece.tint.code {
                result += "\u{1B}[\(code)m\(text)\u{1B}[0m"
            } else {
                result += text
            }
        }
        if isCut { return result + "…" }
        while result.last == " " { result.removeLast() }
        return result
    }
}
