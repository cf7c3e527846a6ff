import API
import Model

/// Draws a run for the terminal.
struct ChecklistRenderer {
    let style: Style

    private static let barColumns = 24
    /// The width from which a table has the time of the first event.
    private static let leastWidthForFirst = 100

    func text(_ checklist: ChecklistReply, _ scope: ChecklistScope? = nil) -> String {
        let report = ChecklistReport(checklist, scope: scope, reasons: [])
        var blocks = [heading(checklist), items(checklist, report)]
        if checklist.items.contains(where: \.looksLikePattern) {
            blocks.append(TextBlock.wrapped(ChecklistReport.patternHint, indent: 0, style, tint: .warning))
        }
        let slips = checklist.items.filter { !$0.looksLikePattern && $0.meant != nil }.map { item in
            let text = "\(SafeText.neutralised(item.event)) is not defined; \(item.meant ?? "")"
            return TextBlock.wrapped(text, indent: 0, style, tint: .warning)
        }
        if !slips.isEmpty { blocks.append(slips.joined()) }
        if !checklist.orders.isEmpty { blocks.append("Order\n" + report.orders.map(line).joined()) }
        blocks += checklist.funnels.map(funnel)
        if let looked = report.looked { blocks.append(TextBlock.wrapped(looked, indent: 0, style, tint: .faint)) }
        return blocks.joined(separator: "\n")
    }

    private func heading(_ checklist: ChecklistReply) -> String {
        var line = StyledLine(SafeText.neutralised(checklist.name), .heading)
        if checklist.list != checklist.name { line.append(" (\(SafeText.neutralised(checklist.list)))") }
        line.append("  ")
        line.append(checklist.state.rawValue, checklist.state.tint)
        line.append(", from \(clock(checklist.since))")
        if let stopped = checklist.stoppedAt { line.append(", stopped at \(clock(stopped))") }
        var text = line.rendered(style) + "\n"
        if let predicate = checklist.predicate {
            text += TextBlock.wrapped("events: \(predicate)", indent: 0, style, tint: .faint)
        }
        if let reason = checklist.reason { text += TextBlock.wrapped("held: \(reason)", indent: 0, style, tint: .bad) }
        return text + bar(checklist)
    }

    private func bar(_ checklist: ChecklistReply) -> String {
        // A list may have only what must not be sent.
        let (done, total) = checklist.total > 0 ? (checklist.done, checklist.total) : (1, 1)
        let full = done * Self.barColumns / total
        var line = StyledLine("[")
        line.append(String(repeating: "█", count: full), checklist.result == .failed ? .bad : .good)
        line.append(String(repeating: "░", count: Self.barColumns - full), .faint)
        line.append("]  \(checklist.done) of \(checklist.total) done")
        if checklist.result == .failed { line.append(", failed", .bad) }
        if checklist.behind > 0 { line.append(", \(Quantity.count(checklist.behind, "event")) behind", .warning) }
        return line.rendered(style) + "\n"
    }

    // MARK: parts

    private func items(_ checklist: ChecklistReply, _ report: ChecklistReport) -> String {
        let hasFirst = style.width.map { $0 >= Self.leastWidthForFirst } ?? true
        var table = TextTable(["", "ITEM", "COUNT"] + (hasFirst ? ["FIRST"] : []) + ["LAST", "SAMPLE"], names: [1])
        for (item, part) in zip(checklist.items, report.items) {
            let mark = Self.mark(part.result)
            var name = part.name
            if item.name != item.event, !item.name.hasPrefix(item.event) {
                name += " (\(SafeText.neutralised(item.event)))"
            }
            var count = part.text
            if let warning = part.warning { count += ", \(warning)" }
            if !item.isDefined { count += ", not defined" }
            var row: [TextTable.Cell] = [
                .init(mark, part.result.tint), .init(name, part.result == .done ? .plain : .heading),
                .init(count, part.result != .done ? part.result.tint : part.warning == nil ? .plain : .warning),
            ]
            if hasFirst { row.append(.init(item.first.map { clock($0.time) } ?? "", .faint)) }
            row.append(.init(item.last.map { clock($0.time) } ?? "", .faint))
            row.append(.init(item.last.map { String($0.id) } ?? "", .faint))
            table.append(row)
        }
        return table.rendered(style)
    }

    /// A part with what it has come to, which is below its name where both do not fit beside each other.
    private func line(_ part: ChecklistReport.Part) -> String {
        var name = StyledLine(Self.mark(part.result), part.result.tint)
        name.append("  \(part.name)")
        let tint = part.result == .done ? Tint.faint : part.result.tint
        var line = name
        if !part.text.isEmpty { line.append("  \(part.text)", tint) }
        if line.width <= style.width ?? .max { return line.rendered(style) + "\n" }
        return name.rendered(style.uncut) + "\n" + TextBlock.wrapped(part.text, indent: 6, style, tint: tint)
    }

    private func funnel(_ funnel: ChecklistReply.Funnel) -> String {
        var head = StyledLine(Self.mark(funnel.result), funnel.result.tint)
        head.append("  \(SafeText.neutralised(funnel.name))", .heading)
        head.append(" by \(SafeText.neutralised(funnel.by))")
        if let within = funnel.withinSeconds { head.append(", each step within \(Quantity.time(seconds: within))") }
        if funnel.isCut { head.append(", \(ChecklistReport.cut)", .warning) }
        var table = TextTable(["   STEP", "REACHED", "CONVERSION", ""], numeric: [1, 2], names: [0])
        let most = max(1, funnel.steps.map(\.reached).max() ?? 1)
        var before: Int?
        for step in funnel.steps {
            let conversion = before.map { $0 > 0 ? "\((step.reached * 100 + $0 / 2) / $0) %" : "" } ?? ""
            table.append([
                .init("   " + SafeText.neutralised(step.name)), .init(Quantity.count(step.reached)), .init(conversion),
                .init(String(repeating: "█", count: step.reached * 20 / most), .note),
            ])
            before = step.reached
        }
        return head.rendered(style) + "\n" + table.rendered(style)
    }

    private static func mark(_ result: ChecklistReply.Result) -> String {
        switch result {
        case .done: "✓"
        case .missing: "·"
        case .failed: "✗"
        }
    }

    /// `10:02:31`, with the date if it is another day.
    private func clock(_ time: WireTime) -> String {
        let civil = CivilTime(microseconds: time.microseconds, zone: style.zone)
        let day = CivilTime(microseconds: style.now, zone: style.zone).date
        let clock = civil.timeOfDay(decimals: 0) + style.zone.mark(time.microseconds)
        return civil.date == day ? clock : "\(civil.date) \(clock)"
    }
}
