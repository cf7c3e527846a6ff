import API
import Model

/// The columns of a report as text, by their headings.
enum ReportColumn: String {
    case dictionary, subsystem, category, event, parameter, rule, count
    case firstSeen = "first seen"
    case lastSeen = "last seen"
    case watchedSince = "watched since"
    case sample, closest, description
    case reason = "reason of the latest"

    /// - Parameter rows: if they have more than one dictionary, it is a column, too.
    static func of(_ report: ReportKind, _ rows: [ReportTable.Row]) -> [ReportColumn] {
        let own: [ReportColumn] =
            switch report {
            case .undefined: [.event, .count, .firstSeen, .lastSeen, .sample, .closest]
            case .unseen: [.event, .watchedSince, .description]
            case .violations: [.event, .parameter, .rule, .count, .lastSeen, .sample]
            case .obsolete: [.event, .parameter, .count, .lastSeen, .sample]
            case .unkeyed, .malformed: [.subsystem, .category, .count, .lastSeen, .sample, .reason]
            }
        return (Set(exact: rows.map { $0.dictionary ?? "" }).count > 1 ? [.dictionary] : []) + own
    }

    /// Whether the column may fill the rest of a line, or its own lines.
    var isProse: Bool { self == .description || self == .closest || self == .reason }

    /// Whether options accept the text, so that it is shown as a whole.
    var isName: Bool {
        switch self {
        case .dictionary, .subsystem, .category, .event, .closest, .parameter: true
        default: false
        }
    }

    var isNumeric: Bool { self == .count || self == .sample }

    /// The text of a cell for people.
    func shown(_ row: ReportTable.Row, _ style: Style) -> String {
        SafeText.neutralised(text(row, style), isName: isName)
    }

    /// The text of a cell, not yet made safe; empty if there is none.
    func text(_ row: ReportTable.Row, _ style: Style) -> String {
        switch self {
        case .dictionary: row.dictionary ?? ""
        case .subsystem: row.origin?.subsystem ?? ""
        case .category: row.origin?.category ?? ""
        case .event: row.key?.description ?? ""
        case .parameter: row.parameter ?? ""
        case .rule: row.rule ?? ""
        case .count: row.events.map { Quantity.count($0) } ?? ""
        case .firstSeen: row.firstSeen.map(style.short) ?? ""
        case .lastSeen: row.lastSeen.map(style.short) ?? ""
        case .watchedSince: row.watchedSince.map(style.short) ?? ""
        case .sample: row.sampleEvent.map(String.init) ?? ""
        case .closest: row.closestKey?.description ?? row.uncovered ?? row.reason ?? ""
        case .description: row.description ?? ""
        case .reason: row.reason ?? ""
        }
    }
}

extension ReportTable.Row {
    /// The reason why a key is not defined, if no dictionary covers it.
    var uncovered: String? {
        guard dictionary == nil, key != nil, let origin else { return nil }
        return "no dictionary covers \(origin.text)"
    }
}

extension EventOrigin {
    /// `com.example.shop, category Search`
    var text: String { category.isEmpty ? "\(subsystem) without category" : "\(subsystem), category \(category)" }
}
