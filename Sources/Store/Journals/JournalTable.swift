internal import GRDB
internal import Model

/// The table `journals`, and the reading state of each journal.
enum JournalTable {
    /// - Returns: `nil` when no start was saved.
    static func state(ofJournal journal: String, _ db: Database) throws -> ReadingState? {
        let row = try BareStatement(db, reusing: "SELECT start, known_until FROM journals WHERE journal = ?")
        try row.bind(1, journal)
        guard try row.step() else { return nil }
        return ReadingState(
            startMicroseconds: row.bits(0), knownUntilMicroseconds: row.optionalInt64(1).map { UInt64(bitPattern: $0) },
            files: try JournalFileTable.all(ofJournal: journal, db),
            chains: try JournalChainTable.all(ofJournal: journal, db), missing: try GapTable.missing(db))
    }

    static func save(start: UInt64, ofJournal journal: String, _ db: Database) throws {
        let row = try BareStatement(
            db,
            reusing: """
                INSERT INTO journals (journal, start) VALUES (?, ?)
                ON CONFLICT (journal) DO UPDATE SET start = excluded.start
                """)
        try row.bind(1, journal)
        try row.bind(2, bits: start)
        try row.run()
    }

    /// - Parameter time: the time until which entries may be stored although their progress is not saved; 0 when
    ///   there is none.
    static func save(knownUntil time: UInt64, ofJournal journal: String, _ db: Database) throws {
        let row = try BareStatement(
            db,
            reusing: "UPDATE journals SET known_until = nullif(?1, 0) WHERE journal = ?2")
        // Numbers are compared as signed ones.
        try row.bind(1, Int64(clamping: time))
        try row.bind(2, journal)
        try row.run()
    }

    /// Returns a range from two consecutive columns; `nil` when both are NULL.
    /// - Parameter damage: describes the error when they are not a range.
    static func range(
        _ row: borrowing BareStatement, from column: Int32, _ damage: @autoclosure () -> String
    ) throws -> ClosedRange<UInt64>? {
        let end = column + 1
        if row.isNull(column), row.isNull(end) { return nil }
        guard !row.isNull(column), !row.isNull(end), row.bits(column) <= row.bits(end) else {
            throw DatabaseError.damaged(damage())
        }
        return row.bits(column)...row.bits(end)
    }

    /// - Parameters:
    ///   - text: the 32 digits of a column.
    ///   - what: names what the id belongs to, for the error.
    static func id(_ text: String, _ what: @autoclosure () -> String) throws -> ID128 {
        guard let id = ID128(text), id.description == text else {
            throw DatabaseError.damaged("\(what()) has the invalid id \(text)")
        }
        return id
    }
}
