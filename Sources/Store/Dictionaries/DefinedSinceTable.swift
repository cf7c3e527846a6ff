internal import GRDB
internal import Model

/// The table `definitions`: the time since which each definition has been known.
///
/// A definition that is removed and returns keeps its time. A branch that was checked out, or a file that was saved
/// in two steps, is no reason to restart the observation, and events that arrived in between were counted as
/// undefined. The time of a definition that does not return is deleted after a while, so that the size of the table
/// is bounded.
enum DefinedSinceTable {
    /// How long the time of a removed definition is kept: 30 days in microseconds.
    private static let memory: Int64 = 30 * 86_400 * 1_000_000

    /// Returns the time at which each current definition was first loaded.
    static func since(dictionary: String, _ db: Database) throws -> [EventKey: UInt64] {
        let rows = try BareStatement(
            db,
            reusing: "SELECT event_category, event_name, since FROM definitions WHERE dictionary = ? AND gone IS NULL")
        try rows.bind(1, dictionary)
        var since: [EventKey: UInt64] = [:]
        while try rows.step() { since[EventKey(category: rows.text(0), name: rows.text(1))] = rows.bits(2) }
        return since
    }

    static func add(_ keys: ArraySlice<EventKey>, dictionary: String, at time: Int64, _ db: Database) throws {
        let statement = try BareStatement(
            db,
            reusing: """
                INSERT INTO definitions (dictionary, event_category, event_name, since) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT DO UPDATE SET since = iif(gone < ?4 - \(memory), ?4, since), gone = NULL
                """)
        try run(statement, keys, dictionary: dictionary, at: time)
    }

    static func remove(_ keys: ArraySlice<EventKey>, dictionary: String, at time: Int64, _ db: Database) throws {
        let statement = try BareStatement(
            db,
            reusing: """
                UPDATE definitions SET gone = ?4 WHERE dictionary = ?1 AND event_category = ?2 AND event_name = ?3
                AND gone IS NULL
                """)
        try run(statement, keys, dictionary: dictionary, at: time)
    }

    private static func run(
        _ statement: borrowing BareStatement, _ keys: ArraySlice<EventKey>, dictionary: String, at time: Int64
    ) throws {
        for key in keys {
            try statement.bind(1, dictionary)
            try statement.bind(2, key.category)
            try statement.bind(3, key.name)
            try statement.bind(4, time)
            try statement.run()
        }
    }

    /// Returns the dictionaries that have definitions.
    static func dictionaries(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT DISTINCT dictionary FROM definitions WHERE gone IS NULL")
            .map { try $0.value("dictionary") }
    }

    /// Deletes a bounded number of definitions that were removed long ago.
    static func forget(at time: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM definitions WHERE (dictionary, event_category, event_name) IN (
                    SELECT dictionary, event_category, event_name FROM definitions WHERE gone < ? LIMIT 1000)
                """,
            arguments: [time - memory])
    }
}

/// The table `protected_names`: the names that a dictionary in force protects. After a restart it says what a file
/// protected that has been deleted meanwhile.
enum ProtectedNameTable {
    static func names(ofDictionary name: String, _ db: Database) throws -> [ExactString: Privacy] {
        let rows = try BareStatement(db, "SELECT parameter, privacy FROM protected_names WHERE dictionary = ?")
        try rows.bind(1, name)
        var names: [ExactString: Privacy] = [:]
        // An unknown value is treated as the strictest one.
        while try rows.step() { names[rows.text(0)] = Privacy(rawValue: rows.text(1)) ?? .private }
        return names
    }

    static func save(
        _ names: ArraySlice<(key: ExactString, value: Privacy)>, dictionary: String, _ db: Database
    ) throws {
        let statement = try BareStatement(
            db, "INSERT OR REPLACE INTO protected_names (dictionary, parameter, privacy) VALUES (?, ?, ?)")
        for name in names {
            try statement.bind(1, dictionary)
            try statement.bind(2, name.key.text)
            try statement.bind(3, name.value.rawValue)
            try statement.run()
        }
    }

    static func remove(_ names: ArraySlice<ExactString>, dictionary: String, _ db: Database) throws {
        let statement = try BareStatement(db, "DELETE FROM protected_names WHERE dictionary = ? AND parameter = ?")
        for name in names {
            try statement.bind(1, dictionary)
            try statement.bind(2, name.text)
            try statement.run()
        }
    }
}
