import API
import Model

/// Draws alerts, and their notices.
struct AlertRenderer {
    let style: Style

    func text(_ alerts: [AlertReply]) -> String {
        var table = TextTable(["ALERT", "STATE", "WHEN", "NOTIFIES", "EVENTS"], names: [0], prose: 4)
        for alert in alerts {
            var state = alert.state.rawValue
            if alert.firing > 1 { state += " (\(Quantity.count(alert.firing)))" }
            if let until = alert.silencedUntil { state += ", silent until \(style.short(until))" }
            table.append([
                .init(SafeText.neutralised(alert.name), .heading), .init(state, alert.state.tint),
                .init(SafeText.neutralised(alert.when)),
                .init(alert.notify.map { SafeText.neutralised($0) }.joined(separator: ", ")),
                .init(SafeText.neutralisedLine(alert.predicate ?? ""), .faint),
            ])
        }
        return table.rendered(style) + alerts.map { causes($0) + cut($0) }.joined()
    }

    private func cut(_ alert: AlertReply) -> String {
        guard alert.isCut else { return "" }
        let text = """
            \(alert.name) has more causes or values than it can keep: events with others are left out. A narrower predicate, or \
            other keys in by, leave it fewer.
            """
        return "\n" + TextBlock.wrapped(text, indent: 0, style, tint: .warning)
    }

    private func causes(_ alert: AlertReply) -> String {
        if let reason = alert.reason {
            return "\n" + TextBlock.wrapped("\(alert.name) is held: \(reason)", indent: 0, style, tint: .bad)
        }
        guard !alert.causes.isEmpty else { return "" }
        var text = "\n" + StyledLine("\(SafeText.neutralised(alert.name)) fires", .heading).rendered(style) + "\n"
        for cause in alert.causes {
            let parts = cause.parts.map { SafeText.neutralised("\($0.key) \($0.value ?? "(none)")") }
            let what = parts.isEmpty ? "" : parts.joined(separator: ", ") + ", "
            let event = cause.event.map { ", event \($0)" } ?? ""
            text += TextBlock.wrapped("\(what)since \(style.short(cause.since))\(event)", indent: 2, style)
        }
        if alert.firing > alert.causes.count {
            text += "  … and \(Quantity.count(alert.firing - alert.causes.count)) more\n"
        }
        return text
    }

    func text(_ notices: [NoticeReply], hasDeliveries: Bool) -> String {
        let headings = ["TIME", "STATE"] + (hasDeliveries ? ["SENT TO"] : []) + ["EVENT", "WHAT"]
        let (event, what) = (headings.count - 2, headings.count - 1)
        var table = TextTable(headings, numeric: [event], names: [what], prose: what)
        for notice in notices {
            let state = AlertNotice.State(rawValue: notice.state)
            let waiting = notice.deliveries.filter { $0.deliveredAt == nil }
            let notifiers = notice.deliveries.map {
                SafeText.neutralised($0.notifier) + ($0.deliveredAt == nil ? " (not yet)" : "")
            }
            let recipients = notice.silenced ? "silenced" : notifiers.joined(separator: ", ")
            var row: [TextTable.Cell] = [
                .init(CivilTime.text(notice.time.microseconds, style.zone, decimals: 0)),
                .init(SafeText.neutralised(notice.state), state?.tint ?? .plain),
            ]
            if hasDeliveries { row.append(.init(recipients, waiting.isEmpty ? .faint : .warning)) }
            row.append(.init(notice.event.map { String($0) } ?? "", .faint))
            row.append(.init(SafeText.neutralisedLine(notice.text)))
            table.append(row)
        }
        return table.rendered(style)
    }
}

extension AlertReply.State {
    fileprivate var tint: Tint {
        switch self {
        case .ok: .good
        case .firing: .bad
        case .held: .warning
        }
    }
}

extension AlertNotice.State {
    fileprivate var tint: Tint {
        switch self {
        case .firing, .repeated: .bad
        case .resolved: .good
        case .test: .note
        }
    }
}
