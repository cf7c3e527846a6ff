internal import GRDB
internal import Model

/// Reads what was counted as events came in.
struct UseCounters {
    private let db: Database
    private let filter: EventFilter
    private var selection: UseSelection

    init(_ db: Database, _ filter: EventFilter) {
        self.db = db
        self.filter = filter
        selection = UseSelection(filter)
    }

    /// Of all events that ever came; the filter has neither level nor boots, which are not kept of them.
    func events() throws -> UseTable<EventUseName> {
        try events("SELECT \(EventUseKey.columns), seen, last_event, first_time, last_time FROM event_use")
    }

    /// Of those that are stored.
    func storedEvents() throws -> UseTable<EventUseName> {
        // All in one pass, rather than for each row of `event_use` as its index would have it.
        return try events(
            """
            SELECT \(EventUseKey.columns), n, last_event, first_time, last_time FROM (
                SELECT event_use, sum(stored) AS n, max(last_event) AS last_event, min(first_time) AS first_time,
                max(last_time) AS last_time FROM series_use NOT INDEXED
                WHERE stored > 0 AND \(selection.origins) GROUP BY 1) AS sums
            JOIN (SELECT id, \(EventUseKey.columns) FROM event_use) AS e ON e.id = sums.event_use
            """)
    }

    private func events(_ sql: String) throws -> UseTable<EventUseName> {
        var table = UseTable<EventUseName>()
        let rows = try BareStatement(db, sql)
        while try rows.step() {
            let use = try EventUseKey(rows)
            guard selection.wants(use) else { continue }
            table.add(UseSum(rows, from: 6), to: EventUseName(use))
        }
        return table
    }

    /// Of all events that ever came; the filter has neither level nor boots.
    mutating func findings() throws -> UseTable<FindingUseName> {
        var table = UseTable<FindingUseName>()
        let rows = try BareStatement(
            db,
            """
            SELECT \(EventUseKey.columns), rule, parameter, f.seen, f.last_event, f.first_time, f.last_time
            FROM finding_use AS f JOIN event_use AS e ON e.id = f.event_use
            """)
        while try rows.step() {
            let use = try EventUseKey(rows)
            guard selection.wants(use) else { continue }
            table.add(UseSum(rows, from: 8), to: FindingUseName(use, rule: rows.text(6), parameter: rows.text(7)))
        }
        try addOpenFindings(to: &table)
        return table
    }

    /// Those of events that are in no block yet.
    private mutating func addOpenFindings(to table: inout UseTable<FindingUseName>) throws {
        let tally = try FindingTally(ofStored: EventRange.openStart(db)...Int64.max, db)
        var findingNames = FindingNames()
        try tally.forEach(db, names: &findingNames) { key, _, sum in
            let use = try selection.key(of: key.eventUse, db)
            guard selection.wants(use) else { return }
            table.add(sum, to: FindingUseName(use, rule: key.rule, parameter: key.parameter))
        }
    }
}
