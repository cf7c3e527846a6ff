internal import GRDB
internal import Model

/// The table `protected_names`: what a dictionary in force protects, so that the next start knows what a file that has
/// gone meanwhile said.
enum ProtectedNameTable {
    static func names(ofDictionary name: String, _ db: Database) throws -> [ExactString: Privacy] {
        let rows = try BareStatement(db, "SELECT parameter, privacy FROM protected_names WHERE dictionary = ?")
        try rows.bind(1, name)
        var names: [ExactString: Privacy] = [:]
        // What is no word of ours is kept as safe as can be.
        while try rows.step() { names[rows.text(0)] = Privacy(rawValue: rows.text(1)) ?? .private }
        return names
    }

    static func areAnyHashed(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM protected_names WHERE privacy = 'hash')") ?? false
    }

    static func save(_ names: ArraySlice<ProtectedName>, dictionary: String, _ db: Database) throws {
        let statement = try BareStatement(
            db, "INSERT OR REPLACE INTO protected_names (dictionary, parameter, privacy) VALUES (?, ?, ?)")
        for name in names {
            try statement.bind(1, dictionary)
            try statement.bind(2, name.parameter)
            try statement.bind(3, name.privacy.rawValue)
            try statement.run()
        }
    }

    static func remove(_ names: ArraySlice<ProtectedName>, dictionary: String, _ db: Database) throws {
        let statement = try BareStatement(db, "DELETE FROM protected_names WHERE dictionary = ? AND parameter = ?")
        for name in names {
            try statement.bind(1, dictionary)
            try statement.bind(2, name.parameter)
            try statement.run()
        }
    }
}

struct ProtectedName: Sendable {
    var parameter: String
    var privacy: Privacy
}
