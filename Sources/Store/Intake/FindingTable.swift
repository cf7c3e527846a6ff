internal import GRDB

/// The table `finding_use`, for the connection that writes.
struct FindingTable: Sendable {
    /// About what its rows take: what it may cost to write counters follows from it.
    private(set) var bytes: Int64

    private static let rowBytes = "\(FindingUseKey.numberBytes) + length(rule) + length(CAST(parameter AS BLOB))"

    init() { bytes = 0 }

    init(_ db: Database) throws {
        bytes = try Self.bytes("1", db)
    }

    private static func bytes(_ condition: String, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT coalesce(sum(\(rowBytes)), 0) FROM finding_use WHERE \(condition)") ?? 0
    }

    mutating func add(_ uses: [FindingUseKey: UseSum], _ db: Database) throws {
        guard !uses.isEmpty else { return }
        let update = try BareStatement(
            db,
            """
            UPDATE finding_use SET seen = seen + ?4, last_event = max(last_event, ?5),
            first_time = min(first_time, ?6), last_time = max(last_time, ?7)
            WHERE series = ?1 AND rule = ?2 AND parameter = ?3
            """)
        let insert = try BareStatement(
            db,
            """
            INSERT INTO finding_use (series, rule, parameter, seen, last_event, first_time, last_time)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        for (key, use) in uses {
            try Self.bind(key, use, to: update)
            try update.run()
            guard db.changesCount == 0 else { continue }
            try Self.bind(key, use, to: insert)
            try insert.run()
            bytes += key.rowBytes
        }
    }

    private static func bind(
        _ key: FindingUseKey, _ use: UseSum, to statement: borrowing BareStatement
    ) throws {
        try statement.bind(1, key.series)
        try statement.bind(2, key.rule)
        try statement.bind(3, key.parameter)
        try statement.bind(4, use.count)
        try statement.bind(5, use.lastEvent)
        try statement.bind(6, use.firstTime)
        try statement.bind(7, use.lastTime)
    }

    /// Takes back what events counted that were resolved again. A name that was counted among the others, since there
    /// were too many at the time, is taken from them.
    mutating func subtract(_ counts: [FindingUseKey: Int64], _ db: Database) throws {
        guard !counts.isEmpty else { return }
        let row = "series = ?1 AND rule = ?2 AND parameter = ?3"
        let select = try BareStatement(db, "SELECT seen FROM finding_use WHERE \(row)")
        let update = try BareStatement(db, "UPDATE finding_use SET seen = seen - ?4 WHERE \(row)")
        let delete = try BareStatement(db, "DELETE FROM finding_use WHERE \(row)")
        for (key, count) in counts {
            var others = key
            others.parameter = FindingUseKey.other
            var left = count
            for key in FindingUseKey.isNamedByPayload(key.rule) ? [key, others] : [key] where left > 0 {
                try Self.bind(key, to: select)
                let seen = try select.step() ? select.int64(0) : 0
                select.reset()
                if seen > left {
                    try Self.bind(key, to: update)
                    try update.bind(4, left)
                    try update.run()
                } else if seen > 0 {
                    try Self.bind(key, to: delete)
                    try delete.run()
                    bytes -= key.rowBytes
                }
                left -= min(seen, left)
            }
        }
    }

    private static func bind(_ key: FindingUseKey, to statement: borrowing BareStatement) throws {
        try statement.bind(1, key.series)
        try statement.bind(2, key.rule)
        try statement.bind(3, key.parameter)
    }

    /// - Parameter series: SQL that lists them.
    mutating func remove(series: String, _ db: Database) throws {
        bytes -= try Self.bytes("series IN (\(series))", db)
        try db.execute(sql: "DELETE FROM finding_use WHERE series IN (\(series))")
    }
}
