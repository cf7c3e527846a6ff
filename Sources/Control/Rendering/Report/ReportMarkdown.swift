import API
import Model

/// Writes reports as Markdown, for a pull request or a ticket.
struct ReportMarkdown: Sendable {
    /// The zone of times.
    private let style: Style
    private let isFiltered: Bool

    /// - Parameter isFiltered: whether only some of the events were examined.
    init(zone: Zone, isFiltered: Bool) {
        (style, self.isFiltered) = (Style(zone: zone), isFiltered)
    }

    func text(_ tables: [ReportTable]) -> String {
        let scope = tables.flatMap { $0.scope.texts.lines(style.zone) }.uniqued()
        return (tables.map(section) + [scope.map { "\(MarkdownText.escaped($0))\n" }.joined(separator: "\n")])
            .joined(separator: "\n")
    }

    private func section(_ table: ReportTable) -> String {
        let meaning = table.report.meaning(isFiltered: isFiltered)
        let heading = "### \(table.report.rawValue): \(Quantity.count(table.total)) \(meaning)\n"
        guard !table.rows.isEmpty else { return heading }
        let columns = ReportColumn.of(table.report, table.rows)
        let numeric = Set(columns.indices.filter { columns[$0].isNumeric })
        var text = heading + "\n" + MarkdownText.heading(columns.map(\.rawValue), numeric: numeric)
        for row in table.rows { text += MarkdownText.row(columns.map { cell(row, $0) }) }
        if table.omitted > 0 { text += "\n… and \(Quantity.count(table.omitted)) more\n" }
        return text
    }

    /// Names are code, so that `_` and `@` in them have no meaning.
    private func cell(_ row: ReportTable.Row, _ column: ReportColumn) -> String {
        let text = column.text(row, style)
        return switch column {
        case .closest where row.closest == nil: MarkdownText.escaped(text)
        case _ where column.isName || column == .rule: MarkdownText.codeInTable(text)
        default: MarkdownText.escaped(text)
        }
    }
}
