import API
import Model

/// The rows of one report, in the same form for all reports and output formats.
struct ReportTable: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        var dictionary: String?
        /// Where the events come from, if that matters.
        var origin: EventOrigin?
        var key: EventKey?
        var parameter: String?
        var rule: String?
        var count: Int64?
        var firstSeen: WireTime?
        var lastSeen: WireTime?
        var watchedSince: WireTime?
        /// The id of an event.
        var sample: Int64?
        var closest: EventKey?
        var description: String?
        var reason: String?
        var shapes: [PayloadShape] = []
    }

    var report: ReportKind
    var rows: [Row]
    /// The number of rows without the limit.
    var total: Int
    var scope: ReportScope

    /// The number of rows that are left out.
    var omitted: Int { max(0, total - rows.count) }

    /// - Throws: `ControlError.otherShape`.
    init(_ report: ReportKind, reply: [UInt8]) throws(ControlError) {
        self.report = report
        switch report {
        case .undefined: (rows, total, scope) = try Self.read(reply, Row.init(undefined:))
        case .unseen: (rows, total, scope) = try Self.read(reply, Row.init(unseen:))
        case .violations: (rows, total, scope) = try Self.read(reply, Row.init(violation:))
        case .obsolete: (rows, total, scope) = try Self.read(reply, Row.init(obsolete:))
        case .unkeyed, .malformed: (rows, total, scope) = try Self.read(reply, Row.init(keyless:))
        }
    }

    private static func read<Wire: ReportRow>(
        _ reply: [UInt8], _ row: (Wire) -> Row
    ) throws(ControlError) -> ([Row], Int, ReportScope) {
        let report = try ControlClient.decode(Report<Wire>.self, reply)
        return (report.rows.map(row), report.total, report.scope)
    }
}

extension ReportTable.Row {
    fileprivate init(undefined row: UndefinedRow) {
        self.init(
            dictionary: row.dictionary, origin: row.origin, key: EventKey(category: row.category, name: row.name),
            count: row.count, firstSeen: row.firstSeen, lastSeen: row.lastSeen, sample: row.sampleEvent,
            closest: row.closest.map { EventKey(category: $0.category, name: $0.name) }, reason: row.reason)
    }

    fileprivate init(unseen row: UnseenRow) {
        self.init(
            dictionary: row.dictionary, key: EventKey(category: row.category, name: row.name),
            watchedSince: row.watchedSince, description: row.description)
    }

    fileprivate init(violation row: ViolationRow) {
        self.init(
            dictionary: row.dictionary, key: EventKey(category: row.category, name: row.name),
            parameter: row.parameter, rule: row.rule, count: row.count, firstSeen: row.firstSeen,
            lastSeen: row.lastSeen, sample: row.sampleEvent)
    }

    fileprivate init(obsolete row: ObsoleteRow) {
        self.init(
            dictionary: row.dictionary, key: EventKey(category: row.category, name: row.name),
            parameter: row.parameter, count: row.stillSeen, lastSeen: row.lastSeen, sample: row.sampleEvent)
    }

    fileprivate init(keyless row: KeylessRow) {
        self.init(
            dictionary: row.dictionary, origin: row.origin, count: row.count, firstSeen: row.firstSeen,
            lastSeen: row.lastSeen, sample: row.sampleEvent, reason: row.reason, shapes: row.shapes ?? [])
    }
}
