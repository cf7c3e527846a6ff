import Model

/// A line of output as a list of pieces, so that it can be measured and cut before colours are added.
package struct StyledLine: Sendable {
    private struct Piece: Sendable {
        var text: String
        var tint: Tint
        var link: Hyperlink?
    }

    private var pieces: [Piece] = []
    /// The number of columns so far.
    package private(set) var width = 0

    package init() {}

    /// - Parameter pieces: about how many pieces it will have.
    init(pieces count: Int) { pieces.reserveCapacity(count) }

    package init(_ text: String, _ tint: Tint = .plain) {
        append(text, tint)
    }

    /// - Parameter link: the target of the text, for terminals that open links.
    package mutating func append(_ text: String, _ tint: Tint = .plain, link: Hyperlink? = nil) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: text, tint: tint, link: link))
        width += DisplayWidth.columns(text)
    }

    package mutating func append(_ line: StyledLine) {
        pieces += line.pieces
        width += line.width
    }

    /// Appends a text and pads it with spaces to `columns`.
    package mutating func append(_ text: String, _ tint: Tint = .plain, columns: Int) {
        append(text, tint)
        let missing = columns - DisplayWidth.columns(text)
        if missing > 0 { append(String(repeating: " ", count: missing)) }
    }

    /// Returns the line without spaces at its end, and cut with `…` if it is wider than the style allows.
    package func rendered(_ style: Style) -> String {
        if style.isCut, let limit = style.width, width > limit { return cut(to: limit, style) }
        var result = ""
        for piece in pieces { result += marked(piece.text, piece, style) }
        while result.utf8.last == UInt8(ascii: " ") { result.unicodeScalars.removeLast() }
        return result
    }

    private func cut(to limit: Int, _ style: Style) -> String {
        var (result, left) = ("", limit - 1)
        for piece in pieces where left > 0 {
            let columns = DisplayWidth.columns(piece.text)
            let text = columns > left ? String(DisplayWidth.prefix(piece.text, columns: left)) : piece.text
            left -= columns
            result += marked(text, piece, style)
        }
        return result + "…"
    }

    /// Returns the text with its escape sequences.
    private func marked(_ text: String, _ piece: Piece, _ style: Style) -> String {
        var text = text
        if style.isColoured, let code = piece.tint.code { text = "\u{1B}[\(code)m\(text)\u{1B}[0m" }
        if style.hasLinks, let link = piece.link { text = link.around(text) }
        return text
    }
}
