internal import GRDB
internal import Model

/// The table `positions`: how far each journal was read.
enum Positions {
    static func load(journal: String, _ db: Database) throws -> JournalCursor? {
        guard
            let text = try String.fetchOne(
                db, sql: "SELECT cursor FROM positions WHERE journal = ?", arguments: [journal])
        else { return nil }
        guard let cursor = JournalCursor(text) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the position of \(journal) is not a cursor")
        }
        return cursor
    }

    static func save(_ cursor: JournalCursor, journal: String, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO positions (journal, cursor, updated) VALUES (?, ?, ?)")
            .execute(arguments: [journal, cursor.description, Int64(bitPattern: cursor.realtimeMicroseconds)])
    }
}
