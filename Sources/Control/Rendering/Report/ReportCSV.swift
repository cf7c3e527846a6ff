import API
import Model

/// Writes reports as one CSV table, with the same columns for all reports.
enum ReportCSV {
    private static let columns = [
        "report", "dictionary", "origin_subsystem", "origin_category", "category", "name", "parameter", "rule", "count",
        "first_seen", "last_seen", "watched_since", "sample_event", "closest", "description", "reason",
    ]

    static func text(_ tables: [ReportTable], _ style: Style) -> [UInt8] {
        let csv = CSVText(style)
        var text = csv.line(columns)
        for table in tables {
            for row in table.rows { text += csv.line(fields(row, of: table.report)) }
        }
        return text
    }

    private static func fields(_ row: ReportTable.Row, of report: ReportKind) -> [String?] {
        [
            report.rawValue, row.dictionary, row.origin?.subsystem, row.origin?.category, row.key?.category,
            row.key?.name, row.parameter, row.rule, row.events.map(String.init), row.firstSeen?.description,
            row.lastSeen?.description, row.watchedSince?.description, row.sampleEvent.map(String.init),
            row.closestKey?.description, row.description, row.reason,
        ]
    }
}
