import API

/// Writes reports as Markdown, for a pull request or a ticket.
package struct ReportMarkdown: Sendable {
    /// Of times.
    private let style: Style

    package init(zone: Zone) {
        style = Style(zone: zone)
    }

    package func text(_ tables: [ReportTable]) -> String {
        tables.map(section).joined(separator: "\n")
    }

    private func section(_ table: ReportTable) -> String {
        let heading = "### \(table.report.rawValue): \(Quantity.count(table.total)) \(table.report.meaning)\n"
        guard !table.rows.isEmpty else { return heading }
        let columns = ReportColumn.of(table.report, table.rows)
        var text = heading + "\n" + line(columns.map(\.heading))
        text += line(columns.map { $0.isNumeric ? "---:" : "---" })
        for row in table.rows { text += line(columns.map { cell($0.text(row, style), $0) }) }
        if table.omitted > 0 { text += "\n… and \(Quantity.count(table.omitted)) more\n" }
        return text
    }

    private func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }

    /// Names are code, so that `_` and `@` in them mean nothing.
    private func cell(_ text: String, _ column: ReportColumn) -> String {
        switch column {
        case .event, .parameter, .rule, .closest, .dictionary: MarkdownText.code(text)
        default: MarkdownText.escaped(text)
        }
    }
}
