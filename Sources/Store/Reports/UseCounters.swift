internal import GRDB
internal import Model

/// Reads what was counted as events came in: of all series that there are, and of those that are gone.
struct UseCounters {
    private let db: Database
    private let names: SeriesFilter?
    private let condition: String
    /// What was counted of series that are gone has neither level nor boot.
    private let hasGone: Bool

    init(_ db: Database, _ filter: EventFilter) {
        self.db = db
        names = SeriesFilter(filter)
        hasGone = filter.level == nil && filter.boots.isEmpty
        condition = Self.condition(filter)
    }

    /// What may be written into SQL as it is: numbers, hexadecimal digits and our own words.
    private static func condition(_ filter: EventFilter) -> String {
        func list(_ texts: [String]) -> String { texts.map { "'\($0)'" }.joined(separator: ", ") }
        var parts = ["1"]
        if let level = filter.level { parts.append("s.level <= \(level.rawValue)") }
        if !filter.boots.isEmpty { parts.append("s.boot_id IN (\(list(filter.boots.map(\.description))))") }
        if !filter.resolutions.isEmpty {
            parts.append("resolution IN (\(list(filter.resolutions.map(\.rawValue))))")
        }
        return parts.joined(separator: " AND ")
    }

    private static let texts = "dictionary, event_category, event_name, resolution, subsystem, category"

    func events() throws -> UseTable<EventUseName> {
        var table = UseTable<EventUseName>()
        let count = hasGone ? "u.seen" : "u.stored"
        let live = """
            SELECT \(Self.texts), sum(\(count)), min(u.first_time), max(u.last_time), max(u.last_event)
            FROM series AS s JOIN series_use AS u ON u.series = s.id
            WHERE s.event_name IS NOT NULL AND \(count) > 0 AND \(condition) GROUP BY 1, 2, 3, 4, 5, 6
            """
        let gone = """
            SELECT \(Self.texts), seen, first_time, last_time, last_event FROM retired WHERE \(condition)
            """
        for sql in hasGone ? [live, gone] : [live] {
            let rows = try BareStatement(db, sql)
            while try rows.step() {
                guard let resolution = try wanted(rows), let key = key(rows, resolution) else { continue }
                let name = EventUseName(dictionary: dictionary(rows), key: key, resolution: resolution)
                table.add(UseSum(rows, from: 6), to: name, bytes: name.textBytes, orElse: name.bounded)
            }
        }
        return table
    }

    func findings() throws -> UseTable<FindingUseName> {
        var table = UseTable<FindingUseName>()
        let live = """
            SELECT \(Self.texts), rule, parameter, sum(f.seen), min(f.first_time), max(f.last_time), max(f.last_event)
            FROM finding_use AS f JOIN series AS s ON s.id = f.series
            WHERE \(condition) GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
            """
        let gone = """
            SELECT \(Self.texts), rule, parameter, seen, first_time, last_time, last_event FROM retired_findings
            WHERE \(condition)
            """
        for sql in hasGone ? [live, gone] : [live] {
            let rows = try BareStatement(db, sql)
            while try rows.step() {
                guard let resolution = try wanted(rows) else { continue }
                let name = FindingUseName(
                    dictionary: dictionary(rows), key: key(rows, resolution), rule: rows.text(6),
                    parameter: rows.text(7))
                table.add(UseSum(rows, from: 8), to: name, bytes: name.textBytes, orElse: name.bounded)
            }
        }
        return table
    }

    // MARK: the columns of `texts`

    /// - Returns: the resolution, unless the filter leaves the row out.
    private func wanted(_ row: borrowing BareStatement) throws -> Resolution? {
        guard let resolution = Resolution(rawValue: row.text(3)) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an unknown resolution")
        }
        let isWanted = names?.fits(subsystem: row.text(4), category: row.text(5), key: key(row, resolution)) ?? true
        return isWanted ? resolution : nil
    }

    private func dictionary(_ row: borrowing BareStatement) -> String? {
        row.bytes(0).isEmpty ? nil : row.text(0)
    }

    /// Those that are gone have empty texts in the place of a key that they had not.
    private func key(_ row: borrowing BareStatement, _ resolution: Resolution) -> EventKey? {
        switch resolution {
        case .resolved, .violating, .undefined: EventKey(category: row.text(1), name: row.text(2))
        case .unkeyed, .plain, .malformed: nil
        }
    }
}
