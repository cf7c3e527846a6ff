/// Lines that are filled piece by piece. A piece that does not fit goes to the next line. Names stay whole; other
/// pieces that are longer than a line are cut.
struct Flow {
    let indent: Int
    private let style: Style
    private var lines: [StyledLine] = []
    private var line: StyledLine
    /// Whether the line is longer than the terminal because of a name.
    private var isOverlong = false
    /// The indices of the lines before it that are.
    private var overlong: Set<Int> = []
    /// The most lines; `nil` for any number.
    private var mostLines: Int?
    /// The spaces before the next piece of the line.
    private var gap = 0

    init(_ line: StyledLine, indent: Int, _ style: Style) {
        self.line = line
        self.indent = indent
        self.style = style
    }

    /// The columns of a line.
    private var room: Int { style.isCut ? style.width ?? .max : .max }

    /// Sets how many lines the next pieces may take, with what is left of this one.
    mutating func limit(lines most: Int) { mostLines = lines.count + most }

    /// - Parameters:
    ///   - name: is shown as a whole.
    ///   - columns: the width of its column.
    mutating func append(_ name: StyledLine, columns: Int) {
        append(isWhole: true) { $0.append(name) }
        gap = 1 + max(0, columns - name.width)
        if line.width > room { isOverlong = true }
    }

    /// - Parameters:
    ///   - isWhole: whether the piece must be shown as a whole; then the indent is reduced if necessary.
    ///   - write: appends the piece.
    /// - Returns: whether there was room. If not, the last line says that there is more.
    @discardableResult
    mutating func append(isWhole: Bool = false, _ write: (inout StyledLine) -> Void) -> Bool {
        let end = line.end
        line.append(spaces: gap)
        let start = line.end
        write(&line)
        if line.width > room {
            let piece = line.split(at: start)
            line.removeAll(after: end)
            guard lines.count + 1 < mostLines ?? .max else {
                line.append(" …", .faint)
                return false
            }
            if isOverlong { overlong.insert(lines.count) }
            lines.append(line)
            line = StyledLine()
            line.append(spaces: isWhole ? min(indent, max(2, room - piece.width)) : indent)
            line.append(piece)
            isOverlong = false
        }
        gap = 1
        return true
    }

    func render(into text: inout String) {
        for (place, line) in lines.enumerated() {
            line.render(overlong.contains(place) ? style.uncut : style, into: &text)
            text += "\n"
        }
        line.render(isOverlong ? style.uncut : style, into: &text)
        text += "\n"
    }
}
