import API
import Model

/// Renders reports as text: a summary, then the rows.
struct ReportRenderer: Sendable {
    private let style: Style
    private let isFiltered: Bool

    /// - Parameter isFiltered: whether only some of the events were examined.
    init(style: Style, isFiltered: Bool) {
        (self.style, self.isFiltered) = (style, isFiltered)
    }

    func text(_ tables: [ReportTable]) -> String {
        let parts = tables.filter { !$0.rows.isEmpty }.map { table in
            (tables.count > 1 ? heading(table.report) : "") + rows(table)
        }
        return ([summary(tables)] + parts).joined(separator: "\n")
    }

    private func summary(_ tables: [ReportTable]) -> String {
        let counts = tables.map { Quantity.count($0.total) }
        let nameWidth = tables.map { $0.report.rawValue.count }.max() ?? 0
        let countWidth = counts.map(\.count).max() ?? 0
        return zip(tables, counts).map { table, count in
            var line = StyledLine()
            line.append(table.report.rawValue, .heading, columns: nameWidth + 2)
            line.append(String(repeating: " ", count: countWidth - count.count))
            line.append(count, table.total == 0 ? .good : table.report.tint)
            line.append("  \(table.report.meaning(isFiltered: isFiltered))", .faint)
            return line.rendered(style) + "\n"
        }.joined() + scope(tables)
    }

    /// The scope of the reports, which is printed once if all have the same.
    private func scope(_ tables: [ReportTable]) -> String {
        tables.flatMap { $0.scope.texts.lines(style.zone) }.uniqued().map { line in
            TextBlock.wrapped(line, indent: 0, style, tint: .faint)
        }.joined()
    }

    private func rows(_ table: ReportTable) -> String {
        let columns = ReportColumn.of(table.report, table.rows)
        var text = TextTable(
            columns.map { $0.rawValue.uppercased() }, numeric: Set(columns.indices.filter { columns[$0].isNumeric }),
            names: Set(columns.indices.filter { columns[$0].isName }),
            prose: columns.firstIndex(where: \.isProse))
        for row in table.rows {
            text.append(
                columns.map { column in
                    TextTable.Cell(column.shown(row, style), tint(column, table.report))
                })
        }
        return text.rendered(style) + omitted(table) + table.rows.map(shapes).joined()
    }

    /// The shapes of a row's events, with the settings that would make events of them.
    private func shapes(_ row: ReportTable.Row) -> String {
        let shapes = row.shapes ?? []
        guard let origin = row.origin, shapes.count > 1 || shapes.contains(where: { $0.advice != nil }) else {
            return ""
        }
        let events = shapes.reduce(0) { $0 + $1.events }
        let name = [origin.subsystem, origin.category].filter { !$0.isEmpty }.joined(separator: " ")
        let heading = "The latest \(events == 1 ? "event" : "\(Quantity.count(events))") of \(name) by their members:"
        let counts = shapes.map { Quantity.count($0.events) }
        let width = counts.map(\.count).max() ?? 0
        var text = "\n" + TextBlock.wrapped(SafeText.neutralised(heading), indent: 0, style, tint: .heading)
        for (shape, count) in zip(shapes, counts) {
            let members = shape.members.isEmpty ? "none" : shape.members.joined(separator: ", ")
            let line = String(repeating: " ", count: width - count.count) + "\(count)  \(SafeText.neutralised(members))"
            text += TextBlock.wrapped(line, indent: 2, style)
            guard let advice = shape.advice else { continue }
            text += TextBlock.wrapped("→ \(SafeText.neutralised(advice))", indent: 4 + width, style, tint: .note)
        }
        return text
    }

    private func omitted(_ table: ReportTable) -> String {
        guard table.omitted > 0 else { return "" }
        let isAllThereIs = table.rows.count >= ReportQuery.maximumLimit
        return "… and \(Quantity.count(table.omitted)) more (\(isAllThereIs ? "narrow them by filters" : "-n all"))\n"
    }

    private func heading(_ report: ReportKind) -> String {
        let name = report.rawValue.prefix(1).uppercased() + report.rawValue.dropFirst()
        return StyledLine(name, .heading).rendered(style) + "\n"
    }

    private func tint(_ column: ReportColumn, _ report: ReportKind) -> Tint {
        switch column {
        case .event, .subsystem: .heading
        case .rule, .reason: report.tint
        case .closest: .note
        case .dictionary, .firstSeen, .watchedSince: .faint
        case .category, .parameter, .count, .lastSeen, .sample, .description: .plain
        }
    }
}

extension ReportKind {
    /// - Parameter isFiltered: whether only some of the events were examined.
    func meaning(isFiltered: Bool) -> String {
        switch self {
        case .undefined: "sent but not defined"
        case .unseen: isFiltered ? "defined but not among the events examined" : "defined but never sent"
        case .violations: "rules that events break"
        case .obsolete: "marked obsolete"
        case .unkeyed: "senders of JSON without a key"
        case .malformed: "senders of broken JSON"
        }
    }

    fileprivate var tint: Tint {
        switch self {
        case .violations, .malformed: .bad
        case .undefined, .unseen: .warning
        case .obsolete, .unkeyed: .note
        }
    }
}
