internal import GRDB

/// The table `event_counts`, for the connection that writes: how often each event has ever occurred. Senders and
/// payloads can invent names, so that only a bounded number of names is counted individually.
struct EventCountTable: Sendable {
    static let schema = """
        CREATE TABLE event_counts ( -- how often each event ever came; a bounded number of names, (other) for the rest
            id INTEGER PRIMARY KEY,      -- within this table and finding_counts only
            dictionary TEXT NOT NULL,    -- the dictionary that covers subsystem and category; empty where none does
            event_category TEXT NOT NULL, -- the event's key: its category; empty where it has none
            event_name TEXT NOT NULL,    -- the event's key: its name; empty where it has none
            resolution TEXT NOT NULL,    -- resolved, violating, undefined, unkeyed, plain or malformed
            subsystem TEXT NOT NULL,     -- SUBSYSTEM, or what a sources rule calls it
            category TEXT NOT NULL,      -- CATEGORY, or what a sources rule calls it
            seen INTEGER NOT NULL,       -- events ever saved; retention does not lower it, reprocessing does
            last_event INTEGER NOT NULL, -- id of the newest of them when it was counted
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; reprocessing does not change it
            last_time INTEGER NOT NULL   -- latest time, microseconds since 1970; reprocessing does not change it
        );
        CREATE UNIQUE INDEX event_counts_identity ON event_counts (
            event_name, event_category, dictionary, resolution, subsystem, category);
        """

    /// The maximum number of rows that are cached.
    private static let capacity = 2048

    private var ids: [Hashed<CountKey>: Int64] = [:]
    /// The last key that was counted under a bounded one.
    private var lastOther: (key: CountKey, id: Int64)?
    /// The hash of each row's key; `nil` until the table has no room for more rows. Nearly all new keys have no row then.
    private var stored: Set<Int>?
    /// The space that defined events and all others take. They have separate limits, so that invented names cannot
    /// use up the room of defined events.
    private var (defined, others): (Use, Use)
    private let limit: Use

    /// The number of rows, and their approximate size.
    private struct Use {
        var rows: Int64
        var bytes: Int64

        /// Returns how many rows exceed a part of the limit.
        func surplus(over limit: Use, _ part: Double) -> Int64 {
            let byBytes = Double(rows) * (1 - part * Double(limit.bytes) / Double(max(bytes, 1)))
            return max(0, rows - Int64(part * Double(limit.rows)), Int64(byBytes))
        }
    }

    private static let rowBytes = """
        64 + 2 * (length(CAST(dictionary AS BLOB)) + length(CAST(event_category AS BLOB))
        + length(CAST(event_name AS BLOB)) + length(resolution) + length(CAST(subsystem AS BLOB))
        + length(CAST(category AS BLOB)))
        """

    init(_ db: Database, limit: SizeLimit) throws {
        self.limit = Use(rows: limit.countedNames, bytes: limit.countedBytes)
        let row = try BareStatement(
            db,
            """
            SELECT resolution IN ('resolved', 'violating') AS is_defined, count(*), sum(\(Self.rowBytes))
            FROM event_counts GROUP BY is_defined
            """)
        (defined, others) = (Use(rows: 0, bytes: 0), Use(rows: 0, bytes: 0))
        while try row.step() {
            let use = Use(rows: row.int64(1), bytes: row.int64(2))
            if row.int64(0) == 1 { defined = use } else { others = use }
        }
    }

    /// The approximate size of the rows.
    var bytes: Int64 { defined.bytes + others.bytes }

    /// Whether the table of undefined names is full, or nearly full, so that further names are counted together.
    var isFull: Bool { others.surplus(over: limit, 15 / 16) > 0 }

    /// The number of undefined names that have to be removed to free a quarter of their room.
    var surplus: Int64 { others.surplus(over: limit, 3 / 4) }

    private func hasRoom(for key: CountKey) -> Bool {
        let use = key.isDefined ? defined : others
        return key.isBounded || use.rows < limit.rows && use.bytes + key.rowBytes <= limit.bytes
    }

    /// Returns whether the key is known to have a row.
    func remembers(_ key: Hashed<CountKey>) -> Bool { ids[key] != nil }

    /// Returns the id of the row that a key is counted in.
    /// - Returns: the id of the key's row, or of the shared row when the key is too long or the table is full. A
    ///   caller that gets a new row must add to it immediately.
    mutating func id(of hashed: Hashed<CountKey>, _ db: Database) throws -> Int64 {
        if let id = ids[hashed] { return id }
        let key = hashed.value
        guard !key.isTooLong || key.isBounded else { return try otherID(of: key, db) }
        let hasRoom = hasRoom(for: key)
        if !hasRoom, try !mayBeStored(hashed, db) { return try otherID(of: key, db) }
        if let id = try Self.find(key, db) {
            remember(id, of: hashed)
            return id
        }
        guard hasRoom else { return try otherID(of: key, db) }
        let id = try insert(hashed, db)
        remember(id, of: hashed)
        return id
    }

    /// Returns the rows that a key's events were counted in: its own, and then the one for all others, in which those
    /// are that came while the key had no row.
    mutating func rows(ofCounted key: Hashed<CountKey>, _ db: Database) throws -> [Int64] {
        let other = key.value.bounded
        return try [known(key, db), other == key.value ? nil : known(Hashed(other), db)].compactMap(\.self)
    }

    private mutating func known(_ key: Hashed<CountKey>, _ db: Database) throws -> Int64? {
        if let id = ids[key] { return id }
        let id = try Self.find(key.value, db)
        if let id { remember(id, of: key) }
        return id
    }

    /// Returns the row of a key that has no row of its own.
    private mutating func otherID(of key: CountKey, _ db: Database) throws -> Int64 {
        let other = key.bounded
        if let lastOther, lastOther.key == other { return lastOther.id }
        let id = try id(of: Hashed(other), db)
        lastOther = (other, id)
        return id
    }

    private mutating func mayBeStored(_ key: Hashed<CountKey>, _ db: Database) throws -> Bool {
        if let stored { return stored.contains(key.hash) }
        var hashes: Set<Int> = []
        let rows = try BareStatement(db, "SELECT \(CountKey.columns) FROM event_counts")
        while try rows.step() { hashes.insert(try CountKey(rows).hashValue) }
        stored = hashes
        return hashes.contains(key.hash)
    }

    private mutating func remember(_ id: Int64, of key: Hashed<CountKey>) {
        if ids.count >= Self.capacity { ids.removeAll(keepingCapacity: true) }
        ids[key] = id
    }

    private static func find(_ key: CountKey, _ db: Database) throws -> Int64? {
        let find = try BareStatement(
            db,
            reusing: """
                SELECT id FROM event_counts WHERE dictionary = ? AND event_category = ? AND event_name = ?
                AND resolution = ? AND subsystem = ? AND category = ?
                """)
        try key.bind(to: find)
        return try find.step() ? find.int64(0) : nil
    }

    private mutating func insert(_ hashed: Hashed<CountKey>, _ db: Database) throws -> Int64 {
        let key = hashed.value
        let insert = try BareStatement(
            db,
            reusing: """
                INSERT INTO event_counts (\(CountKey.columns), seen, last_event, first_time, last_time)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0, \(Int64.max), 0)
                """)
        try key.bind(to: insert)
        try insert.run()
        change(key.isDefined, rows: 1, bytes: key.rowBytes)
        stored?.insert(hashed.hash)
        return db.lastInsertedRowID
    }

    private mutating func change(_ isDefined: Bool, rows: Int64, bytes: Int64) {
        let use = isDefined ? \Self.defined : \.others
        self[keyPath: use].rows += rows
        self[keyPath: use].bytes += bytes
    }

    /// - Parameter more: the occurrences by the row's id.
    func add(_ more: [Int64: Occurrences], _ db: Database) throws {
        let update = try BareStatement(
            db,
            reusing: """
                UPDATE event_counts SET seen = seen + ?2, last_event = max(last_event, ?3),
                first_time = min(first_time, ?4), last_time = max(last_time, ?5) WHERE id = ?1
                """)
        for (id, sum) in more {
            try update.bind(1, id)
            try sum.bind(to: update, from: 2)
            try update.run()
        }
    }

    /// Subtracts events that have a different key or resolution now.
    /// - Parameter rows: from `rows(ofCounted:_:)`. What one has not counted is subtracted from the next.
    /// - Returns: the rows that have no events any more. The caller has to remove them.
    func subtract(_ count: Int64, from rows: [Int64], _ db: Database) throws -> [Int64] {
        var (rest, empty): (Int64, [Int64]) = (count, [])
        for id in rows where rest > 0 {
            let update = try BareStatement(
                db, reusing: "UPDATE event_counts SET seen = seen - ?2 WHERE id = ?1 RETURNING seen")
            try update.bind(1, id)
            try update.bind(2, rest)
            guard try update.step() else { continue }
            let left = update.int64(0)
            _ = try update.step()
            if left <= 0 { empty.append(id) }
            // A row whose count is damaged may have had less than nothing.
            rest = max(0, -max(left, -rest))
        }
        return empty
    }

    /// Removes a row. Its findings must have been removed before.
    mutating func remove(_ id: Int64, _ db: Database) throws {
        let row = try BareStatement(
            db,
            reusing: """
                DELETE FROM event_counts WHERE id = ?1
                RETURNING resolution IN ('resolved', 'violating'), \(Self.rowBytes)
                """)
        try row.bind(1, id)
        guard try row.step() else { return }
        change(row.int64(0) == 1, rows: -1, bytes: -row.int64(1))
        ids.removeAll(keepingCapacity: true)
        (stored, lastOther) = (nil, nil)
        _ = try row.step()
    }
}
