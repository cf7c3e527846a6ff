internal import GRDB
internal import Model

/// The table `journal_files`.
enum JournalFileTable {
    /// Returns all files, by id.
    static func all(ofJournal journal: String, _ db: Database) throws -> [FilePosition] {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT file_id, path, machine_id, seqnum_id, entries, offset, promised_entries, first_seqnum,
                last_seqnum, last_cursor, last_offset FROM journal_files WHERE journal = ? ORDER BY file_id
                """)
        try rows.bind(1, journal)
        var files: [FilePosition] = []
        while try rows.step() { files.append(try position(rows, journal)) }
        return files
    }

    private static func position(_ row: borrowing BareStatement, _ journal: String) throws -> FilePosition {
        let id = row.text(0)
        let what = { "the file \(id) of journal \(journal)" }
        return FilePosition(
            fileID: try JournalTable.id(id, what()), path: row.text(1),
            machineID: try JournalTable.id(row.text(2), what()), seqnumID: try JournalTable.id(row.text(3), what()),
            entries: row.bits(4), offset: row.bits(5), last: try last(row, what), promisedEntries: row.bits(6),
            promisedSeqnums: try JournalTable.range(
                row, from: 7, "\(what()) has an invalid range of sequence numbers"))
    }

    private static func last(_ row: borrowing BareStatement, _ what: () -> String) throws -> FilePosition.Last? {
        guard let text = row.optionalText(9) else {
            guard row.isNull(10) else {
                throw DatabaseError.damaged("\(what()) has the position of a last entry, but no entry")
            }
            return nil
        }
        guard let cursor = JournalCursor(text), !row.isNull(10) else {
            throw DatabaseError.damaged("\(what()) has a last entry that is not a cursor, or has no position: \(text)")
        }
        return FilePosition.Last(cursor: cursor, offset: row.bits(10))
    }

    /// - Parameter files: the positions by file id; `nil` removes one.
    /// - Returns: the ids of those that had no row before.
    static func save(
        _ files: [ID128: FilePosition?], ofJournal journal: String, _ db: Database
    ) throws -> Set<ID128> {
        guard !files.isEmpty else { return [] }
        let update = try BareStatement(
            db,
            reusing: """
                UPDATE journal_files SET path = ?3, machine_id = ?4, seqnum_id = ?5, entries = ?6, offset = ?7,
                promised_entries = ?8, first_seqnum = ?9, last_seqnum = ?10, last_cursor = ?11, last_offset = ?12
                WHERE journal = ?1 AND file_id = ?2
                """)
        let insert = try BareStatement(
            db,
            reusing: """
                INSERT INTO journal_files (journal, file_id, path, machine_id, seqnum_id, entries, offset,
                promised_entries, first_seqnum, last_seqnum, last_cursor, last_offset)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                """)
        let delete = try BareStatement(db, reusing: "DELETE FROM journal_files WHERE journal = ? AND file_id = ?")
        var new: Set<ID128> = []
        for (id, position) in files {
            guard let position else {
                try delete.bind(1, journal)
                try delete.bind(2, id.description)
                try delete.run()
                continue
            }
            try run(update, position, id, journal)
            guard db.changesCount == 0 else { continue }
            try run(insert, position, id, journal)
            new.insert(id)
        }
        return new
    }

    private static func run(
        _ statement: borrowing BareStatement, _ position: FilePosition, _ id: ID128, _ journal: String
    ) throws {
        try statement.bind(1, journal)
        try statement.bind(2, id.description)
        try statement.bind(3, position.path)
        try statement.bind(4, position.machineID.description)
        try statement.bind(5, position.seqnumID.description)
        try statement.bind(6, bits: position.entries)
        try statement.bind(7, bits: position.offset)
        try statement.bind(8, bits: position.promisedEntries)
        try statement.bind(9, position.promisedSeqnums.map { Int64(bitPattern: $0.lowerBound) })
        try statement.bind(10, position.promisedSeqnums.map { Int64(bitPattern: $0.upperBound) })
        try statement.bind(11, position.last?.cursor.description)
        try statement.bind(12, position.last.map { Int64(bitPattern: $0.offset) })
        try statement.run()
    }
}
