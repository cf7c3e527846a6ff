internal import GRDB

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
        var (gains, losses): ([Int64: Occurrences], [Hashed<CountKey>: Int64]) = ([:], [:])
        for place in tally.parts.indices {
            let (key, found) = (tally.parts[place].key, tally.found(inPart: place))
            if let gained = tally.parts[place].gained {
                let event = try events.id(of: key, db)
                gains.add(gained.moved(by: tally.firstID), to: event)
                for (finding, gained) in found?.gained ?? [:] {
                    try findings.add(gained.moved(by: tally.firstID), to: finding, of: event, db)
                }
            }
            guard tally.parts[place].lost > 0 else { continue }
            losses[key, default: 0] += tally.parts[place].lost
            guard let found, !found.lost.isEmpty else { continue }
            let rows = try events.rows(ofCounted: key, db)
            for (finding, lost) in found.lost { try findings.subtract(lost, from: finding, of: rows, db) }
        }
        try events.add(gains, db)
        for (key, lost) in losses { try subtract(lost, from: key, db) }
    }

    /// Subtracts events, and removes the rows that have none any more.
    private mutating func subtract(_ count: Int64, from key: Hashed<CountKey>, _ db: Database) throws {
        let rows = try events.rows(ofCounted: key, db)
        for row in try events.subtract(count, from: rows, db) {
            // What it has left of findings is of events that are counted with all others.
            if let others = rows.last, others != row { try moveFindings(of: row, to: others, db) }
            try findings.remove("event_count = \(row)", db)
            try events.remove(row, db)
        }
    }

    private mutating func moveFindings(of row: Int64, to others: Int64, _ db: Database) throws {
        for finding in try CountFolding.findings(of: row, db) {
            let key = finding.key.isNamedByPayload ? finding.key.other : finding.key
            try findings.add(finding.sum, to: key, of: others, db)
        }
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
            try moveFindings(of: row.id, to: others, db)
            try findings.remove("event_count = \(row.id)", db)
            try events.remove(row.id, db)
        }
        return rows.count == CountFolding.rowsAtOnce
    }
}
