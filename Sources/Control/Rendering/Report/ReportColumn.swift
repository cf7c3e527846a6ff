import API
import Model

/// The columns that people see of a report.
enum ReportColumn {
    case dictionary, event, parameter, rule, count, firstSeen, lastSeen, watchedSince, sample, closest, description

    /// - Parameter rows: with more than one dictionary among them, that is a column too.
    static func of(_ report: ReportKind, _ rows: [ReportTable.Row]) -> [ReportColumn] {
        let own: [ReportColumn] =
            switch report {
            case .undefined: [.event, .count, .firstSeen, .lastSeen, .sample, .closest]
            case .unseen: [.event, .watchedSince, .description]
            case .violations: [.event, .parameter, .rule, .count, .lastSeen, .sample]
            case .obsolete: [.event, .parameter, .count, .lastSeen, .sample]
            }
        return (Set(rows.map(\.dictionary)).count > 1 ? [.dictionary] : []) + own
    }

    var heading: String {
        switch self {
        case .dictionary: "dictionary"
        case .event: "event"
        case .parameter: "parameter"
        case .rule: "rule"
        case .count: "count"
        case .firstSeen: "first seen"
        case .lastSeen: "last seen"
        case .watchedSince: "watched since"
        case .sample: "sample"
        case .closest: "closest"
        case .description: "description"
        }
    }

    var isName: Bool { self == .event || self == .closest || self == .parameter }

    var isNumeric: Bool { self == .count || self == .sample }

    /// What a cell says, as it came; empty where there is nothing to say.
    func text(_ row: ReportTable.Row, _ style: Style) -> String {
        switch self {
        case .dictionary: row.dictionary ?? ""
        case .event: row.key.description
        case .parameter: row.parameter ?? ""
        case .rule: row.rule ?? ""
        case .count: row.count.map { Quantity.count($0) } ?? ""
        case .firstSeen: row.firstSeen.map(style.short) ?? ""
        case .lastSeen: row.lastSeen.map(style.short) ?? ""
        case .watchedSince: row.watchedSince.map(style.short) ?? ""
        case .sample: row.sample.map(String.init) ?? ""
        case .closest: row.closest?.description ?? ""
        case .description: row.description ?? ""
        }
    }
}
