internal import GRDB
internal import Model

/// The table `gaps`.
enum GapTable {
    private static let columns = """
        after_event_id, cause, certainty, time, from_cursor, to_cursor, count, file_id, path, first_byte, end_byte, \
        first_seqnum, last_seqnum, message
        """

    /// - Parameter boot: the boot whose numbers are missing.
    static func insert(_ gap: Gap, of boot: BootOfMachine? = nil, afterEventID: Int64, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO gaps (\(columns), machine_id, boot_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                afterEventID, gap.cause.rawValue, gap.certainty.rawValue, Int64(bitPattern: gap.realtimeMicroseconds),
                gap.from?.description, gap.to?.description, gap.count.map(bits), gap.part?.fileID.description,
                gap.part?.path, (gap.part?.range.lowerBound).map(bits), (gap.part?.range.upperBound).map(bits),
                (gap.numbers?.lowerBound).map(bits), (gap.numbers?.upperBound ?? gap.part?.lastSeqnum).map(bits),
                gap.message, boot?.machineID.description, boot?.bootID.description,
            ])
    }

    /// Returns records ascending by id.
    static func records(after id: Int64, limit: Int, _ db: Database) throws -> [GapRecord] {
        try records(db, "WHERE id > ? ORDER BY id LIMIT ?", [id, max(limit, 0)])
    }

    /// Returns records ascending by place.
    static func records(behind ids: ClosedRange<Int64>, _ db: Database) throws -> [GapRecord] {
        try records(
            db, "WHERE after_event_id BETWEEN ? AND ? ORDER BY after_event_id, id",
            [ids.lowerBound, ids.upperBound])
    }

    static func count(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT count(*) FROM gaps") ?? 0
    }

    private static func records(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [GapRecord] {
        let rows = try db.cachedStatement(sql: "SELECT id, \(columns) FROM gaps \(condition)")
        return try Row.fetchAll(rows, arguments: arguments).map(record)
    }

    private static func record(_ row: Row) throws -> GapRecord {
        let id: Int64 = try row.value("id")
        guard let cause = Gap.Cause(rawValue: try row.value("cause")),
            let certainty = Gap.Certainty(rawValue: try row.value("certainty"))
        else { throw DatabaseError.damaged("gap \(id) has an unknown cause or certainty") }
        let from: String? = try row.value("from_cursor")
        let to: String? = try row.value("to_cursor")
        let gap = Gap(
            cause: cause, realtimeMicroseconds: UInt64(bitPattern: try row.value("time")),
            from: from.flatMap(JournalCursor.init(_:)), to: to.flatMap(JournalCursor.init(_:)),
            count: number(try row.value("count")), certainty: certainty, part: try part(row, of: id),
            numbers: try numbers(row, of: id), message: try row.value("message"))
        return GapRecord(id: id, afterEventID: try row.value("after_event_id"), gap: gap)
    }

    private static func part(_ row: Row, of id: Int64) throws -> Gap.FilePart? {
        guard let file: String = try row.value("file_id") else { return nil }
        guard let file = ID128(file), let path: String = try row.value("path"),
            let first = number(try row.value("first_byte")), let end = number(try row.value("end_byte")), first <= end
        else { throw DatabaseError.damaged("gap \(id) names an invalid part of a file") }
        return Gap.FilePart(
            fileID: file, path: path, range: first..<end, lastSeqnum: number(try row.value("last_seqnum")))
    }

    private static func numbers(_ row: Row, of id: Int64) throws -> ClosedRange<UInt64>? {
        guard let first = number(try row.value("first_seqnum")) else { return nil }
        guard let last = number(try row.value("last_seqnum")), first <= last else {
            throw DatabaseError.damaged("gap \(id) names an invalid range of sequence numbers")
        }
        return first...last
    }

    private static func bits(_ number: UInt64) -> Int64 { Int64(bitPattern: number) }

    private static func number(_ bits: Int64?) -> UInt64? { bits.map { UInt64(bitPattern: $0) } }

    // MARK: what is not missing any more

    private static let ofBoot = "cause = 'missing' AND machine_id = ? AND boot_id = ?"

    /// Returns the records of a boot's missing numbers.
    static func missing(of boot: BootOfMachine, _ db: Database) throws -> [GapRecord] {
        try records(db, "WHERE \(ofBoot)", [boot.machineID.description, boot.bootID.description])
    }

    /// Returns the missing numbers of each boot, ascending.
    static func missing(_ db: Database) throws -> [BootOfMachine: [MissingRange]] {
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, machine_id, boot_id, first_seqnum, last_seqnum, coalesce(from_cursor, to_cursor) AS cursor
                FROM gaps WHERE cause = 'missing'
                """)
        var missing: [BootOfMachine: [MissingRange]] = [:]
        while let row = try rows.next() {
            let id: Int64 = try row.value("id")
            guard let numbers = try numbers(row, of: id) else { continue }
            let boot = BootOfMachine(
                machineID: try JournalTable.id(row.value("machine_id"), "gap \(id)"),
                bootID: try JournalTable.id(row.value("boot_id"), "gap \(id)"))
            let cursor = (try row.value("cursor") as String?).flatMap(JournalCursor.init(_:))
            missing[boot, default: []].append(MissingRange(seqnumID: cursor?.seqnumID, numbers: numbers))
        }
        return missing.mapValues { $0.sorted { $0.numbers.lowerBound < $1.numbers.lowerBound } }
    }

    static func countMissing(of boots: some Sequence<BootOfMachine>, _ db: Database) throws -> Int64 {
        try boots.reduce(0) { sum, boot in
            let count = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT count(*) FROM gaps WHERE \(ofBoot)"),
                arguments: [boot.machineID.description, boot.bootID.description])
            return sum + (count ?? 0)
        }
    }

    /// Updates which numbers are missing. The time at which that was found, and its place, stay.
    static func update(id: Int64, to gap: Gap, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE gaps SET certainty = ?, from_cursor = ?, to_cursor = ?, count = ?, first_seqnum = ?,
                last_seqnum = ?, message = ? WHERE id = ?
                """,
            arguments: [
                gap.certainty.rawValue, gap.from?.description, gap.to?.description, gap.count.map(bits),
                (gap.numbers?.lowerBound).map(bits), (gap.numbers?.upperBound).map(bits), gap.message, id,
            ])
    }

    static func remove(id: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM gaps WHERE id = ?", arguments: [id])
    }

    /// Removes the records that say that a file was deleted, if it has returned. It may be an older copy, to which
    /// other entries are added: the last entry that is missing must have been read, which was written before the gap
    /// was found.
    /// - Parameters:
    ///   - files: the positions by file id.
    ///   - new: the ids of the files that had no position before.
    /// - Returns: the number of these records.
    static func removeDeleted(
        files: [ID128: FilePosition?], new: Set<ID128>, _ db: Database
    ) throws -> Int {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT id, count, from_cursor, time, last_seqnum FROM gaps WHERE cause = 'deleted' AND file_id = ?
                """)
        var ids: [Int64] = []
        for case (let id, let file?) in files {
            try rows.bind(1, id.description)
            while try rows.step() {
                var hasReturned = false
                if !rows.isNull(4) {
                    if let last = file.last?.cursor, last.seqnum >= rows.bits(4) {
                        hasReturned = last.realtimeMicroseconds <= rows.bits(3)
                    }
                } else if new.contains(id) {
                    // It is not known how far it went.
                    let from = rows.optionalText(2).flatMap(JournalCursor.init(_:))
                    hasReturned = file.mayHave(rows.bits(1), after: from)
                }
                if hasReturned { ids.append(rows.int64(0)) }
            }
            rows.reset()
        }
        for id in ids { try remove(id: id, db) }
        return ids.count
    }

    // MARK: maintenance

    /// Returns how many records there have ever been.
    static func everSeen(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gaps'") ?? 0
    }

    /// Returns the newest record beyond the newest `count`; `nil` if there are no more.
    static func newestID(beyond count: Int64, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM gaps ORDER BY id DESC LIMIT 1 OFFSET ?"), arguments: [count])
    }

    /// Removes the oldest records. They stay counted.
    static func trim(through id: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM gaps WHERE id <= ?", arguments: [id])
    }
}

extension GapTable {
    private static let minute: UInt64 = 60_000_000

    /// Records what `drop_oldest` removed: a count, and a gap record at the place of the events. Removals within a
    /// minute share one record. A sink may have had some of them in a batch that was not saved yet, or may not want them.
    static func addDropped(
        _ removed: ClosedRange<Int64>, lost: Int64, at now: UInt64, _ db: Database
    ) throws {
        try Totals.add(dropped: lost, db)
        let next = try cursor(after: removed.upperBound, db)
        let last = try Row.fetchOne(
            db, sql: "SELECT id, time, count FROM gaps WHERE cause = 'dropped' ORDER BY id DESC LIMIT 1")
        if let last, now &- UInt64(bitPattern: try last.value("time")) < minute {
            let count: Int64? = try last.value("count")
            let total = lost.plus(clamped: max(0, count ?? 0))
            try db.execute(
                sql: """
                    UPDATE gaps SET after_event_id = ?, count = ?, certainty = ?, to_cursor = ?, message = ? WHERE id = ?
                    """,
                arguments: [
                    removed.upperBound, total, Gap.Certainty.atMost.rawValue, next?.description, message(total),
                    try last.value("id") as Int64,
                ])
        } else {
            let gap = Gap(
                cause: .dropped, realtimeMicroseconds: now, to: next, count: UInt64(lost), certainty: .atMost,
                message: message(lost))
            try GapTable.insert(gap, afterEventID: removed.upperBound, db)
        }
    }

    private static func message(_ count: Int64) -> String {
        "the store was full: \(count) events were removed before every sink had them"
    }

    /// - Returns: `nil` also if the event is damaged: the removal does not depend on it.
    private static func cursor(after id: Int64, _ db: Database) throws -> JournalCursor? {
        let query = StoredEventQuery(.everything, after: id, before: nil, order: .oldest, limit: 1)
        var scan = try EventScan(db, query: query)
        do {
            return try scan.page().events.first?.cursor
        } catch let error as DatabaseError where error.isDamage {
            return nil
        }
    }
}
