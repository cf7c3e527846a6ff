import Model

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
    /// Where a terminal has too little room, this column is cut first, at its end, and once more after long names. Where
    /// it would have less than is worth reading, it stands below each row instead.
    private var prose: Int?
    /// These are cut in the middle: names are told apart by their ends. The widest column is cut first.
    private var names: [Int]
    private var rows: [[Cell]] = []

    /// A cell that is wider stands out of its column: one overlong name must not fill all other rows with spaces.
    private static let widestColumn = 100
    /// No name is cut to less than this,
    private static let leastName = 10
    /// nor to less than this for the sake of prose beside it, which has as much as long as names are longer.
    private static let leastBesideEachOther = 40
    /// Prose beside a row has at least this.
    private static let leastProse = 20
    private static let indentBelow = 4

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
        let layout = layout(style)
        let all = [headings.map { Cell($0, .heading) }] + rows
        return all.map { cells in
            let below = layout.isProseBelow ? prose.flatMap { self.below(cells[$0]) } : nil
            return ([line(cells, layout, style)] + (below.map { [$0] } ?? [])).map { $0.rendered(style) + "\n" }
                .joined()
        }.joined()
    }

    private struct Layout {
        var widths: [Int]
        var isProseBelow = false
    }

    private func layout(_ style: Style) -> Layout {
        let widths = headings.indices.map { column in
            rows.reduce(DisplayWidth.columns(headings[column])) { width, row in
                max(width, min(Self.widestColumn, DisplayWidth.columns(row[column].text)))
            }
        }
        guard style.isCut, let room = style.width else { return Layout(widths: widths) }
        var beside = Layout(widths: widths)
        var excess = excess(beside, room)
        if let prose, excess > 0 {
            cutProse(&beside, &excess, prose, least: Self.leastBesideEachOther)
            cutNames(&beside, &excess, least: Self.leastBesideEachOther)
            cutProse(&beside, &excess, prose, least: Self.leastProse)
            if excess > 0 {
                beside = Layout(widths: widths, isProseBelow: true)
                excess = self.excess(beside, room)
            }
        }
        cutNames(&beside, &excess, least: Self.leastName)
        return beside
    }

    /// How many columns there are too many.
    private func excess(_ layout: Layout, _ room: Int) -> Int {
        let shown = layout.widths.indices.filter { !layout.isProseBelow || $0 != prose }
        return shown.reduce(0) { $0 + layout.widths[$1] } + 2 * (shown.count - 1) - room
    }

    private func cutProse(_ layout: inout Layout, _ excess: inout Int, _ prose: Int, least: Int) {
        // A name is not cut at its end: it is beside as a whole, or below.
        guard !names.contains(prose) else { return }
        let given = max(0, min(excess, layout.widths[prose] - least))
        layout.widths[prose] -= given
        excess -= given
    }

    private func cutNames(_ layout: inout Layout, _ excess: inout Int, least: Int) {
        let names = names.filter { $0 != prose }
        while excess > 0, let widest = names.max(by: { layout.widths[$0] < layout.widths[$1] }),
            layout.widths[widest] > least
        {
            layout.widths[widest] -= 1
            excess -= 1
        }
    }

    private func line(_ cells: [Cell], _ layout: Layout, _ style: Style) -> StyledLine {
        var line = StyledLine()
        for (column, cell) in cells.enumerated() where !layout.isProseBelow || column != prose {
            if line.width > 0 { line.append("  ") }
            let width = layout.widths[column]
            let text = style.isCut && style.width != nil ? cut(cell.text, column, to: width) : cell.text
            if numeric.contains(column) {
                line.append(String(repeating: " ", count: max(0, width - DisplayWidth.columns(text))))
                line.append(text, cell.tint)
            } else {
                line.append(text, cell.tint, columns: width)
            }
        }
        return line
    }

    /// - Returns: `nil` where there is nothing to say.
    private func below(_ cell: Cell) -> StyledLine? {
        guard !cell.text.isEmpty else { return nil }
        var line = StyledLine(String(repeating: " ", count: Self.indentBelow))
        line.append(cell.text, cell.tint)
        return line
    }

    private func cut(_ text: String, _ column: Int, to width: Int) -> String {
        names.contains(column) ? DisplayWidth.cutInside(text, to: width) : DisplayWidth.cut(text, to: width)
    }
}
