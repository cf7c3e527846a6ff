internal import GRDB
internal import Model

/// Events as they are stored, to be changed one by one.
struct StoredRows: ~Copyable {
    struct Row {
        var id: Int64
        var series: Int64
        var time: Int64
        var findings: Findings?
        var payloadBytes: Int
    }

    private let select: BareStatement
    private let update: BareStatement
    private let updateWithPayload: BareStatement
    private var lastFindings: (findings: Findings, text: [UInt8])?

    init(_ db: Database) throws {
        // All or none: what cannot be copied cannot be given up half made.
        let select = try BareStatement(db, reusing: "SELECT \(EventRow.columns) FROM event_rows WHERE id = ?")
        let update = try BareStatement(db, reusing: "UPDATE event_rows SET series = ?1, findings = ?2 WHERE id = ?3")
        let updateWithPayload = try BareStatement(
            db, reusing: "UPDATE event_rows SET series = ?1, findings = ?2, payload = ?4 WHERE id = ?3")
        self.select = select
        self.update = update
        self.updateWithPayload = updateWithPayload
    }

    /// - Returns: `nil` when it is gone.
    func row(_ id: Int64) throws -> Row? {
        try select.bind(1, id)
        defer { select.reset() }
        guard try select.step() else { return nil }
        return Row(
            id: id, series: EventRow.series(select), time: EventRow.time(select),
            findings: try EventRow.findings(select), payloadBytes: EventRow.payload(select).count)
    }

    /// - Parameter payload: `nil` leaves it as it is.
    mutating func update(_ id: Int64, series: Int64, findings: Findings?, payload: [UInt8]?) throws {
        if let payload {
            try payload.withUnsafeBytes { bytes in
                try updateWithPayload.bind(4, unowned: bytes, asText: isText(bytes))
                try Self.run(updateWithPayload, id, series, findings: findings.map { text(of: $0) })
            }
        } else {
            try Self.run(update, id, series, findings: findings.map { text(of: $0) })
        }
    }

    private static func run(
        _ statement: borrowing BareStatement, _ id: Int64, _ series: Int64, findings text: [UInt8]?
    ) throws {
        try statement.bind(1, series)
        try statement.bind(3, id)
        guard let text else {
            try statement.bindNull(2)
            return try statement.run()
        }
        try text.withUnsafeBytes {
            try statement.bind(2, unowned: $0, asText: true)
            try statement.run()
        }
    }

    /// The same finding usually comes many times in a row.
    private mutating func text(of findings: Findings) -> [UInt8] {
        if let last = lastFindings, last.findings == findings { return last.text }
        let text = FindingsText.encoded(findings)
        lastFindings = (findings, text)
        return text
    }

    /// What the events belong to that are still there, by their ids.
    static func series(
        of changes: [ResolvedAgain], catalog: SeriesCatalog, _ db: Database
    ) throws -> [Int64: (id: Int64, series: Series)] {
        let row = try BareStatement(db, reusing: "SELECT series FROM event_rows WHERE id = ?")
        var known: [Int64: (id: Int64, series: Series)] = [:]
        for change in changes where known[change.id] == nil {
            try row.bind(1, change.id)
            if try row.step() { known[change.id] = (row.int64(0), try catalog.series(row.int64(0), db)) }
            row.reset()
        }
        return known
    }
}
