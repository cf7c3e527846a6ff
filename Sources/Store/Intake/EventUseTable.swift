internal import GRDB
internal import Model

/// What events are counted by: one row of the table `event_use`.
struct EventUseKey: Sendable, Hashable {
    /// Stands for names that are too many.
    static let other = "(other)"

    /// Empty where events have none.
    @Exact var dictionary: String
    /// Empty texts for events without one.
    var key: EventKey
    var resolution: Resolution
    @Exact var subsystem: String
    @Exact var category: String

    init(_ series: Series) {
        dictionary = series.kind.dictionary ?? ""
        key = series.kind.key ?? EventKey(category: "", name: "")
        resolution = series.resolution
        subsystem = series.origin.subsystem
        category = series.origin.category
    }

    static let columns = "dictionary, event_category, event_name, resolution, subsystem, category"

    /// From the first columns of a row.
    init(_ row: borrowing BareStatement) throws {
        guard let resolution = Resolution(rawValue: row.text(3)) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an unknown resolution")
        }
        dictionary = row.text(0)
        key = EventKey(category: row.text(1), name: row.text(2))
        self.resolution = resolution
        subsystem = row.text(4)
        category = row.text(5)
    }

    /// Whether a dictionary has the event, so that there is no end of senders but not of names.
    var isDefined: Bool { resolution == .resolved || resolution == .violating }

    /// Whether its events have a key: only such are reported one by one.
    var isKeyed: Bool { isDefined || resolution == .undefined }

    /// Where it is counted when there are too many: one row for each definition, one for all undefined events.
    var bounded: EventUseKey {
        var bounded = self
        (bounded.subsystem, bounded.category) = (Self.other, Self.other)
        if resolution == .undefined { bounded.key = EventKey(category: Self.other, name: Self.other) }
        return bounded
    }

    var longestText: Int {
        [dictionary, key.category, key.name, subsystem, category].lazy.map(\.utf8.count).max() ?? 0
    }

    func bind(to statement: borrowing BareStatement, from index: Int32) throws {
        try statement.bind(index, dictionary)
        try statement.bind(index + 1, key.category)
        try statement.bind(index + 2, key.name)
        try statement.bind(index + 3, resolution.rawValue)
        try statement.bind(index + 4, subsystem)
        try statement.bind(index + 5, category)
    }
}

/// The table `event_use`, for the connection that writes.
enum EventUseTable {
    /// - Parameter gone: whether no series has it, where the row is new. One that a series has is not gone.
    /// - Returns: the row's id.
    static func id(of key: EventUseKey, gone: Bool = false, _ db: Database) throws -> Int64 {
        let find = try BareStatement(
            db,
            reusing: """
                SELECT id, gone FROM event_use WHERE dictionary = ? AND event_category = ? AND event_name = ?
                AND resolution = ? AND subsystem = ? AND category = ?
                """)
        try key.bind(to: find, from: 1)
        if try find.step() {
            let id = find.int64(0)
            if !gone, find.int64(1) != 0 {
                try db.execute(sql: "UPDATE event_use SET gone = 0 WHERE id = ?", arguments: [id])
            }
            return id
        }
        let insert = try BareStatement(
            db,
            reusing: """
                INSERT INTO event_use (\(EventUseKey.columns), seen, last_event, first_time, last_time, gone)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, \(gone ? 1 : 0))
                """)
        try key.bind(to: insert, from: 1)
        try insert.run()
        return db.lastInsertedRowID
    }

    static func add(_ uses: [Int64: UseSum], _ db: Database) throws {
        let update = try BareStatement(
            db,
            reusing: """
                UPDATE event_use SET seen = seen + ?2, last_event = max(last_event, ?3),
                first_time = CASE first_time WHEN 0 THEN ?4 ELSE min(first_time, ?4) END, last_time = max(last_time, ?5)
                WHERE id = ?1
                """)
        for (id, use) in uses {
            try update.bind(1, id)
            try use.bind(to: update, from: 2)
            try update.run()
        }
    }
}
