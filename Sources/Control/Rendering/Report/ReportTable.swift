import API
import Model

/// The rows of one report, in the same form for all reports and output formats.
struct ReportTable: Sendable {
    /// The members of all rows of the API: a report has some of them.
    struct Row: Decodable, Sendable {
        var dictionary: String?
        /// Where the events come from, if that matters.
        var origin: EventOrigin?
        var category: String?
        var name: String?
        var parameter: String?
        var rule: String?
        var count: Int64?
        var stillSeen: Int64?
        var firstSeen: WireTime?
        var lastSeen: WireTime?
        var watchedSince: WireTime?
        /// The id of an event.
        var sampleEvent: Int64?
        var closest: UndefinedRow.Closest?
        var description: String?
        var reason: String?
        var shapes: [PayloadShape]?
    }

    /// The members of `Report` that are needed here.
    private struct Document: Decodable {
        var rows: [Row]
        var total: Int
        var scope: ReportScope
    }

    let report: ReportKind
    let rows: [Row]
    /// The number of rows without the limit.
    let total: Int
    let scope: ReportScope

    /// The number of rows that are left out.
    var omitted: Int { max(0, total - rows.count) }

    /// - Throws: `ControlError.otherShape`.
    init(_ report: ReportKind, reply: [UInt8]) throws(ControlError) {
        let document = try ControlClient.decode(Document.self, reply)
        (self.report, rows, total, scope) = (report, document.rows, document.total, document.scope)
    }
}

extension ReportTable.Row {
    var key: EventKey? {
        guard let category, let name else { return nil }
        return EventKey(category: category, name: name)
    }

    /// The defined key that is most similar.
    var closestKey: EventKey? { closest.map { EventKey(category: $0.category, name: $0.name) } }

    /// The number of events.
    var events: Int64? { count ?? stillSeen }
}
