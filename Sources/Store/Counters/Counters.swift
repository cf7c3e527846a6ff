internal import GRDB
internal import Model

/// The permanent counters of events and findings, for the connection that writes. Queries with a time, level, boot or
/// payload are not answered from these counters, but by counting the stored events.
struct Counters: Sendable {
    private(set) var events: EventCountTable
    private(set) var findings: FindingCountTable

    init(_ db: Database, limit: SizeLimit) throws {
        events = try EventCountTable(db, limit: limit)
        findings = try FindingCountTable(db, limit: limit)
    }

    /// The approximate size of the tables.
    var bytes: Int64 { events.bytes + findings.bytes }

    /// Adds a tally, within the transaction that changes the events.
    mutating func add(_ tally: CountTally, _ db: Database) throws {
        var (gains, losses): ([Int64: Occurrences], [Int64: Int64]) = ([:], [:])
        for place in tally.parts.indices {
            let isGained = tally.parts[place].gained != nil
            let key = tally.parts[place].key
            let event = isGained ? try events.id(of: key, db) : try events.id(ofCounted: key, db)
            if let gained = tally.parts[place].gained { gains.add(gained.moved(by: tally.firstID), to: event) }
            if tally.parts[place].lost > 0 { losses[event, default: 0] += tally.parts[place].lost }
            guard let found = tally.found(inPart: place) else { continue }
            for (finding, gained) in found.gained {
                try findings.add(gained.moved(by: tally.firstID), to: finding, of: event, db)
            }
            for (finding, lost) in found.lost { try findings.subtract(lost, from: finding, of: event, db) }
        }
        try events.add(gains, db)
        try events.subtract(losses, db)
    }

    /// Makes room for undefined names: counts the oldest names that no stored event has any more together under
    /// `CountKey.other`.
    /// - Parameter oldest: the lowest id that is stored.
    /// - Returns: whether there may be more of them.
    mutating func foldUnused(before oldest: Int64, _ db: Database) throws -> Bool {
        let rows = try CountFolding.gone(before: oldest, atMost: events.surplus, db)
        for row in rows {
            let others = try events.id(of: Hashed(row.key.bounded), db)
            guard others != row.id else { continue }
            try events.add([others: row.sum], db)
            for finding in try CountFolding.findings(of: row.id, db) {
                try findings.add(finding.sum, to: finding.key.other, of: others, db)
            }
            try findings.remove("event_count = \(row.id)", db)
            try events.remove(row.id, db)
        }
        return rows.count == CountFolding.rowsAtOnce
    }
}
