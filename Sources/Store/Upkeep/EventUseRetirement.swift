internal import GRDB
internal import Model

/// Bounds what stays counted of events whose last series went: by name as far as dictionaries bound the names or there
/// is room, else together with others.
struct EventUseRetirement {
    /// Names with longer texts are not kept.
    private static let longestText = 512

    /// How many rows there may still be, for defined events and for the others apart: made-up names are not to take the
    /// room of the others.
    private struct Room {
        var defined: Int64
        var others: Int64

        init(_ db: Database, limit: SizeLimit, counting tables: String) throws {
            let row = try BareStatement(
                db,
                reusing: """
                    SELECT count(*) FILTER (WHERE resolution IN ('resolved', 'violating')), count(*) FROM \(tables)
                    WHERE gone = 1
                    """)
            _ = try row.step()
            let (definedRows, rows) = (row.int64(0), row.int64(1))
            defined = limit.retired - definedRows
            others = limit.retired - (rows - definedRows)
        }

        /// - Returns: whether there was room.
        mutating func take(isDefined: Bool) -> Bool {
            guard isDefined ? defined > 0 : others > 0 else { return false }
            if isDefined { defined -= 1 } else { others -= 1 }
            return true
        }
    }

    private struct Finding {
        var id: Int64
        var rule: String
        var parameter: String
        var sum: UseSum
    }

    private let db: Database
    private var eventRoom: Room
    private var findingRoom: Room

    init(_ db: Database, limit: SizeLimit) throws {
        self.db = db
        eventRoom = try Room(db, limit: limit, counting: "event_use")
        findingRoom = try Room(db, limit: limit, counting: "event_use JOIN finding_use ON event_use = event_use.id")
    }

    /// - Parameter id: of a row of `event_use`. One that still has a series stays as it is.
    mutating func retire(_ id: Int64, findings table: inout FindingTable) throws {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT \(EventUseKey.columns), seen, last_event, first_time, last_time FROM event_use
                WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM series_use WHERE event_use = ?1)
                """)
        try row.bind(1, id)
        guard try row.step() else { return }
        let key = try EventUseKey(row)
        let sum = UseSum(row, from: 6)
        let findings = try Self.findings(of: id, db)
        guard (key.isKeyed && sum.count > 0) || !findings.isEmpty else { return try remove(id) }
        if key.longestText <= Self.longestText, eventRoom.take(isDefined: key.isDefined) {
            try markGone(id)
            let tooMany = findings.filter { _ in !findingRoom.take(isDefined: key.isDefined) }
            guard !tooMany.isEmpty else { return }
            try move(tooMany, of: key, to: EventUseTable.id(of: key.bounded, gone: true, db), &table)
        } else {
            let others = try EventUseTable.id(of: key.bounded, gone: true, db)
            guard others != id else { return try markGone(id) }
            try EventUseTable.add([others: sum], db)
            try move(findings, of: key, to: others, &table)
            try remove(id)
        }
    }

    private func markGone(_ id: Int64) throws {
        try db.execute(sql: "UPDATE event_use SET gone = 1 WHERE id = ?", arguments: [id])
    }

    private func remove(_ id: Int64) throws {
        try db.execute(sql: "DELETE FROM event_use WHERE id = ?", arguments: [id])
    }

    private static func findings(of eventUse: Int64, _ db: Database) throws -> [Finding] {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT id, rule, parameter, seen, last_event, first_time, last_time FROM finding_use WHERE event_use = ?
                """)
        try rows.bind(1, eventUse)
        var findings: [Finding] = []
        while try rows.step() {
            findings.append(
                Finding(id: rows.int64(0), rule: rows.text(1), parameter: rows.text(2), sum: UseSum(rows, from: 3)))
        }
        return findings
    }

    private func move(
        _ findings: [Finding], of key: EventUseKey, to others: Int64, _ table: inout FindingTable
    ) throws {
        for finding in findings {
            let isBounded = key.isDefined && !FindingUseKey.isNamedByPayload(finding.rule)
            let parameter = isBounded ? finding.parameter : EventUseKey.other
            let id = try table.id(of: FindingUseKey(eventUse: others, rule: finding.rule, parameter: parameter), db)
            guard id != finding.id else { continue }
            try table.add([id: finding.sum], db)
            try table.remove("id = \(finding.id)", db)
        }
    }
}
