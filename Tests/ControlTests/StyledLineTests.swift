import Model
import TestSupport
import Testing

@testable import Control

@Suite struct StyledLineTests {
    private static let texts = ["a", "key=", "夕食", "two words ", " ", "🍲", "", "e\u{301}", "0123456789"]
    private static let tints = [Tint.plain, .plain, .faint, .bad, .kind(number: 3)]

    private struct Piece {
        var text: String
        var tint: Tint
        var link: Hyperlink?
    }

    private static func pieces(_ random: inout SeededGenerator) -> [Piece] {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
            Piece(
                text: texts.randomElement(using: &random) ?? "", tint: tints.randomElement(using: &random) ?? .plain,
                link: Int.random(in: 0..<6, using: &random) == 0 ? Hyperlink("https://example.com/") : nil)
        }
    }

    private static func line(_ pieces: some Sequence<Piece>) -> StyledLine {
        var line = StyledLine()
        for piece in pieces { line.append(piece.text, piece.tint, link: piece.link) }
        return line
    }

    /// The escape sequences of each character: which tint and which link it is shown with.
    private static func cells(_ rendered: String) -> [String] {
        var (cells, code, rest) = ([String](), "", Substring(rendered))
        while let first = rest.unicodeScalars.first {
            if rest.hasPrefix("\u{1B}["), let end = rest.firstIndex(of: "m") {
                let sequence = String(rest[...end])
                code = sequence == "\u{1B}[0m" ? "" : sequence
                rest = rest[rest.index(after: end)...]
            } else {
                cells.append("\(code)\(first)")
                rest = Substring(rest.unicodeScalars.dropFirst())
            }
        }
        return cells
    }

    private static func unlinked(_ rendered: String) -> String {
        let (begin, end) = ("\u{1B}]8;;https://example.com/\u{1B}\\", "\u{1B}]8;;\u{1B}\\")
        return rendered.replacing(begin, with: "").replacing(end, with: "")
    }

    private static let plain = Style()
    private static var coloured: Style {
        var style = Style()
        style.isColoured = true
        return style
    }

    @Test func `a line is its pieces, in their tints`() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let pieces = Self.pieces(&random)
            let line = Self.line(pieces)
            #expect(line.width == pieces.reduce(0) { $0 + DisplayWidth.columns($1.text) })
            let text = pieces.map(\.text).joined()
            let trimmed = text.reversed().drop { $0 == " " }.reversed()
            #expect(line.rendered(Self.plain) == String(trimmed), "\(pieces)")
            let cells = pieces.flatMap { piece in
                let code = piece.tint.code.map { "\u{1B}[\($0)m" } ?? ""
                return piece.text.unicodeScalars.map { "\(code)\($0)" }
            }
            let shown = Self.cells(line.rendered(Self.coloured))
            // Spaces at the end are only shown if they have a tint.
            #expect(cells.starts(with: shown) && cells[shown.count...].allSatisfy { $0 == " " }, "\(pieces)")
        }
    }

    @Test func `texts are padded by columns, not characters`() {
        var line = StyledLine()
        line.append("寿司", columns: 6)
        line.append("sushi!!", columns: 6)
        line.append("|")
        #expect(line.rendered(Self.plain) == "寿司  sushi!!|" && line.width == 14)
    }

    @Test func `a line that is split and put together again is the same`() {
        var random = SeededGenerator(seed: 2)
        var (coloured, linked) = (Self.coloured, Self.plain)
        linked.hasLinks = true
        coloured.hasLinks = true
        for _ in 0..<500 {
            let pieces = Self.pieces(&random)
            let count = Int.random(in: 0...pieces.count, using: &random)
            var line = Self.line(pieces[..<count])
            let end = line.end
            for piece in pieces[count...] { line.append(piece.text, piece.tint, link: piece.link) }
            let whole = line
            let rest = line.split(at: end)
            #expect(line.width + rest.width == whole.width)
            for style in [Self.plain, coloured, linked] {
                #expect(line.rendered(style) == Self.line(pieces[..<count]).rendered(style), "\(pieces)")
                #expect(rest.rendered(style) == Self.line(pieces[count...]).rendered(style), "\(pieces)")
            }
            line.append(rest)
            #expect(Self.cells(line.rendered(Self.coloured)) == Self.cells(whole.rendered(Self.coloured)))
        }
    }

    @Test func `a line that is too wide is cut at its width`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let line = Self.line(Self.pieces(&random))
            var style = Self.plain
            style.width = Int.random(in: 2...20, using: &random)
            let (shown, width) = (line.rendered(style), style.width ?? 0)
            #expect(DisplayWidth.columns(shown) <= width && shown.hasSuffix("…") == (line.width > width), "\(shown)")
            // Colours and links change nothing of that, but spaces at the end may have a tint.
            (style.isColoured, style.hasLinks) = (true, true)
            let marked = Self.cells(Self.unlinked(line.rendered(style))).compactMap { $0.unicodeScalars.last }
            let rest = marked.dropFirst(shown.unicodeScalars.count)
            #expect(marked.starts(with: shown.unicodeScalars) && rest.allSatisfy { $0 == " " }, "\(shown)")
            (style.isColoured, style.hasLinks) = (false, false)
            style.isCut = false
            #expect(line.rendered(style) == line.rendered(Self.plain))
        }
    }
}
