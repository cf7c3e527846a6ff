import Model

/// A table with a heading and aligned columns.
struct TextTable: Sendable {
    struct Cell: Sendable {
        var text: String
        var tint: Tint

        init(_ text: String, _ tint: Tint = .plain) {
            self.text = text
            self.tint = tint
        }
    }

    private var headings: [String]
    /// The columns of numbers, aligned to the right.
    private var numeric: Set<Int>
    /// The column that is cut at its end if the terminal is too narrow, and below overlong names. If too little of it
    /// would be left, it is printed below each row instead.
    private var prose: Int?
    /// Columns that are never cut, so that their names can be copied. If a name is wider than its column, the rest of
    /// the row is printed on the next line. The widest column is narrowed first.
    private var names: [Int]
    private var rows: [[Cell]] = []

    /// The widest column. A wider cell exceeds it, so that one overlong name does not fill all other rows with spaces.
    private static let widestColumn = 100
    /// The least width of a column of names,
    private static let leastName = 10
    /// and the least one if prose is beside it.
    private static let leastBesideEachOther = 40
    /// The least width of prose beside a row.
    private static let leastProse = 20
    private static let indentBelow = 4
    private static let gap = 2

    init(_ headings: [String], numeric: Set<Int> = [], names: Set<Int> = [], prose: Int? = nil) {
        self.headings = headings
        self.numeric = numeric
        // Ordered, so that the choice between two equally wide columns is always the same.
        self.names = names.sorted()
        self.prose = prose
    }

    /// - Parameter row: one cell for each heading.
    mutating func append(_ row: [Cell]) {
        rows.append(row)
    }

    func rendered(_ style: Style) -> String {
        let layout = layout(style)
        let all = [headings.map { Cell($0, .heading) }] + rows
        return all.map { cells in
            let below =
                layout.isProseBelow ? prose.flatMap { self.below(cells[$0], isName: names.contains($0), style) } : nil
            return lines(cells, layout).map { $0.rendered(style.uncut) + "\n" }.joined() + (below ?? "")
        }.joined()
    }

    private struct Layout {
        var widths: [Int]
        var isProseBelow = false
        /// The columns that lines have at most; `nil` if they may be longer.
        var room: Int?
        /// The line of the row that each column is on, and where it begins.
        var places: [(line: Int, start: Int)] = []

        /// Returns how wide a cell may be; `nil` for any width. The last one of a line has the rest of it.
        func most(_ column: Int) -> Int? {
            guard let room else { return nil }
            let (line, start) = places[column]
            let isLast = !places.indices.contains(column + 1) || places[column + 1].line > line
            return max(1, isLast ? room - start : min(widths[column], room - start))
        }
    }

    private var widths: [Int] {
        headings.indices.map { column in
            rows.reduce(DisplayWidth.columns(headings[column])) { width, row in
                max(width, min(Self.widestColumn, DisplayWidth.columns(row[column].text)))
            }
        }
    }

    /// Whether all columns have room beside each other, and none is cut or narrowed.
    func fits(_ style: Style) -> Bool {
        guard style.isCut, let room = style.width else { return true }
        return excess(Layout(widths: widths), room) <= 0
    }

    private func layout(_ style: Style) -> Layout {
        let widths = widths
        guard style.isCut, let room = style.width else { return placed(Layout(widths: widths), .max) }
        var beside = Layout(widths: widths)
        var excess = excess(beside, room)
        if let prose, excess > 0 {
            cutProse(&beside, &excess, prose, least: Self.leastBesideEachOther)
            narrowNames(&beside, &excess, least: Self.leastBesideEachOther)
            cutProse(&beside, &excess, prose, least: Self.leastProse)
            if excess > 0 {
                beside = Layout(widths: widths, isProseBelow: true)
                excess = self.excess(beside, room)
            }
        }
        narrowNames(&beside, &excess, least: Self.leastName)
        beside.room = room
        return placed(beside, room)
    }

    /// Moves columns that do not fit beside the others to the next line, with an indent.
    private func placed(_ layout: Layout, _ room: Int) -> Layout {
        var layout = layout
        var (line, end) = (0, -Self.gap)
        for (column, width) in layout.widths.enumerated() {
            guard !layout.isProseBelow || column != prose else {
                layout.places.append((line, 0))
                continue
            }
            if end > 0, end + Self.gap + width > room { (line, end) = (line + 1, Self.indentBelow - Self.gap) }
            layout.places.append((line, end + Self.gap))
            end += Self.gap + width
        }
        return layout
    }

    /// The number of columns by which the rows are too wide.
    private func excess(_ layout: Layout, _ room: Int) -> Int {
        let shown = layout.widths.indices.filter { !layout.isProseBelow || $0 != prose }
        return shown.reduce(0) { $0 + layout.widths[$1] } + Self.gap * (shown.count - 1) - room
    }

    private func cutProse(_ layout: inout Layout, _ excess: inout Int, _ prose: Int, least: Int) {
        // A name is not cut: it is printed beside the others or below them.
        guard !names.contains(prose) else { return }
        let given = max(0, min(excess, layout.widths[prose] - least))
        layout.widths[prose] -= given
        excess -= given
    }

    private func narrowNames(_ layout: inout Layout, _ excess: inout Int, least: Int) {
        let names = names.filter { $0 != prose }
        while excess > 0, let widest = names.max(by: { layout.widths[$0] < layout.widths[$1] }),
            layout.widths[widest] > least
        {
            layout.widths[widest] -= 1
            excess -= 1
        }
    }

    private func lines(_ cells: [Cell], _ layout: Layout) -> [StyledLine] {
        var lines = [StyledLine()]
        var place = 0
        for (column, cell) in cells.enumerated() where !layout.isProseBelow || column != prose {
            let most = names.contains(column) ? nil : layout.most(column)
            let width = layout.widths[column]
            let text = most.map { DisplayWidth.cut(cell.text, to: $0) } ?? cell.text
            guard !text.isEmpty else { continue }
            let (line, start) = layout.places[column]
            let end = lines[lines.count - 1].width
            // An overlong name has displaced the rest of its row.
            if line > place || layout.room != nil && end > 0 && end + Self.gap > start { lines.append(StyledLine()) }
            place = line
            let fill = numeric.contains(column) ? max(0, width - DisplayWidth.columns(text)) : 0
            let missing = start - lines[lines.count - 1].width
            lines[lines.count - 1].append(String(repeating: " ", count: max(start == 0 ? 0 : Self.gap, missing) + fill))
            lines[lines.count - 1].append(text, cell.tint)
        }
        return lines
    }

    /// - Returns: `nil` if there is nothing to print.
    private func below(_ cell: Cell, isName: Bool, _ style: Style) -> String? {
        guard !cell.text.isEmpty else { return nil }
        var line = StyledLine(String(repeating: " ", count: Self.indentBelow))
        line.append(cell.text, cell.tint)
        return line.rendered(isName ? style.uncut : style) + "\n"
    }
}
