internal import GRDB

/// The table `finding_use`, for the connection that writes.
struct FindingTable: Sendable {
    /// About what its rows take: what it may cost to write counters follows from it.
    private(set) var bytes: Int64

    private static let rowBytes = "\(FindingUseKey.numberBytes) + 2 * (length(rule) + length(CAST(parameter AS BLOB)))"

    init(_ db: Database) throws {
        bytes = try Int64.fetchOne(db, sql: "SELECT coalesce(sum(\(Self.rowBytes)), 0) FROM finding_use") ?? 0
    }

    /// The row's id. A new row is to be added to at once.
    mutating func id(of key: FindingUseKey, _ db: Database) throws -> Int64 {
        let find = try BareStatement(
            db, reusing: "SELECT id FROM finding_use WHERE event_use = ? AND rule = ? AND parameter = ?")
        try Self.bind(key, to: find)
        if try find.step() { return find.int64(0) }
        let insert = try BareStatement(
            db,
            reusing: """
                INSERT INTO finding_use (event_use, rule, parameter, seen, last_event, first_time, last_time)
                VALUES (?, ?, ?, 0, 0, \(Int64.max), 0)
                """)
        try Self.bind(key, to: insert)
        try insert.run()
        bytes += key.rowBytes
        return db.lastInsertedRowID
    }

    private static func bind(_ key: FindingUseKey, to statement: borrowing BareStatement) throws {
        try statement.bind(1, key.eventUse)
        try statement.bind(2, key.rule)
        try statement.bind(3, key.parameter)
    }

    /// - Parameter uses: by the row's id. A count of 0 or less takes back what events counted that were resolved again;
    ///   a row that counts nothing any more is removed.
    mutating func add(_ uses: [Int64: UseSum], _ db: Database) throws {
        let update = try BareStatement(
            db,
            reusing: """
                UPDATE finding_use SET seen = seen + ?2, last_event = max(last_event, ?3),
                first_time = min(first_time, ?4), last_time = max(last_time, ?5) WHERE id = ?1
                """)
        for (id, use) in uses {
            try update.bind(1, id)
            try use.bind(to: update, from: 2)
            try update.run()
            if use.count < 0 { try remove("id = \(id) AND seen <= 0", db) }
        }
    }

    /// - Parameter condition: SQL, of numbers only.
    mutating func remove(_ condition: String, _ db: Database) throws {
        let rows = try BareStatement(db, "DELETE FROM finding_use WHERE \(condition) RETURNING \(Self.rowBytes)")
        while try rows.step() { bytes -= rows.int64(0) }
    }
}
