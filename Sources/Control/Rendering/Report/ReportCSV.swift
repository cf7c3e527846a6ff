import API
import Model

/// Writes reports as one CSV table, with the same columns for all reports.
///
/// Values are written unchanged, including those that begin with `=`, `+`, `-` or `@`: a prefix would change the data
/// for all readers but spreadsheets. Only control characters become escapes, since names come from payloads and the
/// table may be shown on a terminal.
/// - Source: RFC 4180 for the quotes; lines end with LF, as is usual on Linux.
package enum ReportCSV {
    private static let columns = [
        "report", "dictionary", "origin_subsystem", "origin_category", "category", "name", "parameter", "rule", "count",
        "first_seen", "last_seen", "watched_since", "sample_event", "closest", "description", "reason",
    ]

    package static func text(_ tables: [ReportTable]) -> String {
        var text = line(columns)
        for table in tables {
            for row in table.rows { text += line(fields(row, of: table.report)) }
        }
        return text
    }

    private static func fields(_ row: ReportTable.Row, of report: ReportKind) -> [String] {
        [
            report.rawValue, row.dictionary ?? "", row.origin?.subsystem ?? "", row.origin?.category ?? "",
            row.key?.category ?? "", row.key?.name ?? "", row.parameter ?? "", row.rule ?? "",
            row.count.map(String.init) ?? "", row.firstSeen?.description ?? "", row.lastSeen?.description ?? "",
            row.watchedSince?.description ?? "", row.sample.map(String.init) ?? "", row.closest?.description ?? "",
            row.description ?? "", row.reason ?? "",
        ]
    }

    private static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\n"
    }

    private static func field(_ text: String) -> String {
        let safe = SafeText.neutralised(text)
        guard safe.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }
}
