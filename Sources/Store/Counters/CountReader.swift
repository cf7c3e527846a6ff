internal import GRDB
internal import Model

/// Reads what was counted as events came in.
enum CountReader {
    static func events(_ filter: EventFilter, _ db: Database) throws -> Counts<EventCountName> {
        let wanted = CountFilter(filter)
        var counts = Counts<EventCountName>()
        let rows = try BareStatement(
            db, reusing: "SELECT \(CountKey.columns), seen, last_event, first_time, last_time FROM event_counts")
        while try rows.step() {
            let counted = try CountKey(rows)
            if wanted.wants(counted) { counts.add(Occurrences(rows, from: 6), to: EventCountName(counted)) }
        }
        return counts
    }

    static func findings(_ filter: EventFilter, _ db: Database) throws -> Counts<FindingCountName> {
        let wanted = CountFilter(filter)
        var counts = Counts<FindingCountName>()
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT \(CountKey.columns), rule, parameter, f.seen, f.last_event, f.first_time, f.last_time
                FROM finding_counts AS f JOIN event_counts AS e ON e.id = f.event_count
                """)
        while try rows.step() {
            let counted = try CountKey(rows)
            guard wanted.wants(counted) else { continue }
            let name = FindingCountName(counted, rule: rows.text(6), parameter: rows.text(7))
            counts.add(Occurrences(rows, from: 8), to: name)
        }
        return counts
    }
}
