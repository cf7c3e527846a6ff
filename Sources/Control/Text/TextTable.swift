/// Rows in aligned columns under a heading.
package struct TextTable: Sendable {
    package struct Cell: Sendable {
        package var text: String
        package var tint: Tint

        package init(_ text: String, _ tint: Tint = .plain) {
            self.text = text
            self.tint = tint
        }
    }

    private var headings: [String]
    /// Columns of numbers, aligned at the right.
    private var numeric: Set<Int>
    /// Where a terminal has too little room, this column is cut first, at its end, down to nothing.
    private var prose: Int?
    /// Then these, in the middle: names are told apart by their ends. The widest column is cut first.
    private var names: [Int]
    private var rows: [[Cell]] = []

    /// A cell that is wider stands out of its column: one overlong name must not fill all other rows with spaces.
    private static let widestColumn = 100
    /// No name is cut to less than this.
    private static let leastName = 10

    package init(_ headings: [String], numeric: Set<Int> = [], names: Set<Int> = [], prose: Int? = nil) {
        self.headings = headings
        self.numeric = numeric
        // In order: which of two equally wide columns is cut must not be left to a set.
        self.names = names.sorted()
        self.prose = prose
    }

    /// - Parameter row: as many cells as there are headings.
    package mutating func append(_ row: [Cell]) {
        rows.append(row)
    }

    package func rendered(_ style: Style) -> String {
        let widths = widths(style)
        let all = [headings.map { Cell($0, .heading) }] + rows
        return all.map { line($0, widths: widths, style).rendered(style) + "\n" }.joined()
    }

    private func widths(_ style: Style) -> [Int] {
        var widths = headings.indices.map { column in
            rows.reduce(DisplayWidth.columns(headings[column])) { width, row in
                max(width, min(Self.widestColumn, DisplayWidth.columns(row[column].text)))
            }
        }
        guard style.isCut, let room = style.width else { return widths }
        var excess = widths.reduce(0, +) + 2 * (widths.count - 1) - room
        if let prose {
            let given = max(0, min(excess, widths[prose]))
            widths[prose] -= given
            excess -= given
        }
        while excess > 0, let widest = names.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.leastName {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(_ cells: [Cell], widths: [Int], _ style: Style) -> StyledLine {
        var line = StyledLine()
        for (column, cell) in cells.enumerated() {
            if column > 0 { line.append("  ") }
            let text = style.isCut && style.width != nil ? cut(cell.text, column, to: widths[column]) : cell.text
            if numeric.contains(column) {
                let missing = widths[column] - DisplayWidth.columns(text)
                line.append(String(repeating: " ", count: max(0, missing)))
                line.append(text, cell.tint)
            } else {
                line.append(text, cell.tint, columns: widths[column])
            }
        }
        return line
    }

    private func cut(_ text: String, _ column: Int, to width: Int) -> String {
        names.contains(column) ? DisplayWidth.cutInside(text, to: width) : DisplayWidth.cut(text, to: width)
    }
}
