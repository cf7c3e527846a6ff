internal import GRDB

/// Adds to one of the tables `retired` and `retired_findings`, whose size it bounds.
struct RetiredRows: ~Copyable {
    /// Longer texts have no row of their own.
    private static let longestText = 512

    private let db: Database
    private let update: BareStatement
    private let insert: BareStatement
    /// For defined events and for the others, so that made-up names do not take the room of the others.
    private var room: (defined: Int64, undefined: Int64)

    init(_ db: Database, table: String, key: [String], limit: SizeLimit) throws {
        let isDefined = "resolution IN ('resolved', 'violating')"
        let counts = try Row.fetchOne(
            db, sql: "SELECT count(*) FILTER (WHERE \(isDefined)) AS defined, count(*) AS rows FROM \(table)")
        let (defined, rows): (Int64, Int64) = (counts?["defined"] ?? 0, counts?["rows"] ?? 0)
        let places = key.indices.map { "\(key[$0]) = ?\($0 + 5)" }.joined(separator: " AND ")
        let update = try BareStatement(
            db,
            """
            UPDATE \(table) SET seen = seen + ?1, last_event = max(last_event, ?2),
            first_time = CASE first_time WHEN 0 THEN ?3 ELSE min(first_time, ?3) END, last_time = max(last_time, ?4)
            WHERE \(places)
            """)
        let values = (1...key.count + 4).map { "?\($0)" }.joined(separator: ", ")
        let insert = try BareStatement(
            db,
            """
            INSERT INTO \(table) (seen, last_event, first_time, last_time, \(key.joined(separator: ", ")))
            VALUES (\(values))
            """)
        self.db = db
        self.update = update
        self.insert = insert
        room = (limit.retired - defined, limit.retired - (rows - defined))
    }

    /// - Parameters:
    ///   - other: the row for it when there is no room for one of its own; of such there is a bounded number.
    mutating func add(_ sum: UseSum, to key: [String], orElse other: [String], isDefined: Bool) throws {
        if try change(update, key, sum) { return }
        let hasRoom = isDefined ? room.defined > 0 : room.undefined > 0
        if hasRoom, key.allSatisfy({ $0.utf8.count <= Self.longestText }) {
            _ = try change(insert, key, sum)
            if isDefined { room.defined -= 1 } else { room.undefined -= 1 }
        } else if try !change(update, other, sum) {
            _ = try change(insert, other, sum)
        }
    }

    /// - Returns: whether there was such a row.
    private func change(_ statement: borrowing BareStatement, _ key: [String], _ sum: UseSum) throws -> Bool {
        try statement.bind(1, sum.count)
        try statement.bind(2, sum.lastEvent)
        try statement.bind(3, sum.firstTime)
        try statement.bind(4, sum.lastTime)
        for (index, text) in key.enumerated() { try statement.bind(Int32(index) + 5, text) }
        try statement.run()
        return db.changesCount > 0
    }
}
