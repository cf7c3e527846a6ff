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
    private var rows: [[Cell]] = []

    package init(_ headings: [String], numeric: Set<Int> = []) {
        self.headings = headings
        self.numeric = numeric
    }

    /// - Parameter row: as many cells as there are headings.
    package mutating func append(_ row: [Cell]) {
        rows.append(row)
    }

    package func rendered(_ style: Style) -> String {
        let widths = headings.indices.map { column in
            rows.reduce(DisplayWidth.columns(headings[column])) { max($0, DisplayWidth.columns($1[column].text)) }
        }
        let all = [headings.map { Cell($0, .heading) }] + rows
        return all.map { line($0, widths: widths).rendered(style) + "\n" }.joined()
    }

    private func line(_ cells: [Cell], widths: [Int]) -> StyledLine {
        var line = StyledLine()
        for (column, cell) in cells.enumerated() {
            if column > 0 { line.append("  ") }
            if numeric.contains(column) {
                line.append(String(repeating: " ", count: widths[column] - DisplayWidth.columns(cell.text)))
                line.append(cell.text, cell.tint)
            } else {
                line.append(cell.text, cell.tint, columns: widths[column])
            }
        }
        return line
    }
}
