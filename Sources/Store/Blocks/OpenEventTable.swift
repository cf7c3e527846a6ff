internal import GRDB
internal import Model

/// The tables of the open events, which are in no block yet. Code outside this folder does not use them.
enum OpenEventTable {
    static let schema = """
        CREATE TABLE open_events ( -- the newest events, a row each; a full block of them is packed
            id INTEGER PRIMARY KEY,      -- ascending in the order of arrival, from 1
            sender INTEGER NOT NULL,     -- open_senders.sender
            kind INTEGER NOT NULL,       -- open_kinds.kind
            level INTEGER NOT NULL,      -- syslog PRIORITY, 0 (emerg) to 7 (debug)
            time INTEGER NOT NULL,       -- microseconds since 1970 (__REALTIME_TIMESTAMP)
            monotonic INTEGER NOT NULL,  -- microseconds since the boot (__MONOTONIC_TIMESTAMP)
            seqnum INTEGER NOT NULL,     -- the entry's sequence number in the journal
            entry_hash INTEGER NOT NULL,   -- a keyed hash of the entry's fields and times; 64 bits, so it may show as negative
            ordinal INTEGER NOT NULL,    -- how many entries of the same boot, monotonic and entry_hash came before it
            pid INTEGER,                 -- the sending process (_PID)
            findings TEXT,               -- JSON object with violations, warnings and reason, where there are any
            payload BLOB NOT NULL,       -- JSON text or message, the bytes as they came
            program_level INTEGER,       -- the level that the program gave
            program_time INTEGER,        -- the time that the program gave, microseconds since 1970
            text BLOB,                   -- the text that the payload was taken from, after a number: 0 if it is whole, else
                                         -- one more than the place in it at which the payload stood
            checksum INTEGER NOT NULL    -- of the columns before it, see docs/store.md
        );
        CREATE TABLE open_senders ( -- who sent them
            sender INTEGER PRIMARY KEY,  -- from 0, within open_events only
            boot_id TEXT NOT NULL,       -- the boot, 32 hexadecimal digits (_BOOT_ID)
            seqnum_id TEXT NOT NULL,     -- the journal's range of sequence numbers, 32 hexadecimal digits
            source TEXT NOT NULL,        -- the sources rule that took the entry
            key_fields TEXT NOT NULL,    -- the journal fields that its key is from: NAME=value, one on each line
        \(senderColumns)
            checksum INTEGER NOT NULL    -- as in open_events
        );
        CREATE TABLE open_kinds ( -- what they were checked by, and what came of it
            kind INTEGER PRIMARY KEY,    -- from 0, within open_events only
            resolution TEXT NOT NULL,    -- resolved, violating, undefined, unkeyed, plain or malformed
            dictionary TEXT,             -- the dictionary that covers subsystem and category
            definitions_version TEXT,    -- which content the dictionary had, 16 hexadecimal digits
            event_category TEXT,         -- the event's key: its category
            event_name TEXT,             -- the event's key: its name
            checksum INTEGER NOT NULL    -- as in open_events
        );
        """

    /// Returns a column definition for each `SenderField`.
    private static let senderColumns: String = SenderField.allCases.map { field in
        let declaration = "\(field.name) TEXT\(field.isOptional ? "" : " NOT NULL")"
        let column = declaration + ","
        let padding = String(repeating: " ", count: max(1, 29 - column.count))
        return "    \(column)\(padding)-- \(field.journalName)"
    }.joined(separator: "\n")

    static let eventColumns = """
        id, sender, kind, level, time, monotonic, seqnum, entry_hash, ordinal, pid, findings, payload, program_level,
        program_time, text, checksum
        """
    static let eventChecksum: Int32 = 15

    private static let senderNames =
        (["sender", "boot_id", "seqnum_id", "source", "key_fields"] + SenderField.allCases.map(\.name) + ["checksum"])
        .joined(separator: ", ")
    private static let senderChecksum = Int32(5 + SenderField.allCases.count)

    private static let kindColumns =
        "kind, resolution, dictionary, definitions_version, event_category, event_name, checksum"
    private static let kindChecksum: Int32 = 6

    /// Returns a statement that inserts a row.
    /// - Parameter checksum: the number of the last column.
    private static func insertion(_ table: String, _ columns: String, checksum: Int32) -> String {
        "INSERT INTO \(table) (\(columns)) VALUES (\(String(repeating: "?, ", count: Int(checksum)))?)"
    }

    private static let insertEvent = insertion("open_events", eventColumns, checksum: eventChecksum)
    private static let insertSender = insertion("open_senders", senderNames, checksum: senderChecksum)
    private static let insertKind = insertion("open_kinds", kindColumns, checksum: kindChecksum)

    static func removeAll(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM open_events; DELETE FROM open_senders; DELETE FROM open_kinds")
    }

    /// Writes all events again. When single rows change, SQLite moves other rows, and leaves copies of them behind.
    static func replaceAll(by events: [Event], _ db: Database) throws {
        try removeAll(db)
        var names = Names()
        for event in events { try event.withBlockEvent { try insert($0, &names, db) } }
    }

    static func removeAll(upTo last: Int64, _ db: Database) throws {
        let rest = try OpenEvents(db, ids: last + 1 ... .max)
        var events: [Event] = []
        try rest.forEachEvent(of: Array(0..<rest.count)) { events.append($0.kept()) }
        try replaceAll(by: events, db)
    }

    /// The distinct senders and kinds of the events in the tables, by number.
    struct Names: Sendable {
        var senders = Numbering<Origin>()
        var kinds = KindNumbering()
    }

    /// - Parameter names: receives the sender and the kind of the event where they are new.
    static func insert(_ event: BlockEvent, _ names: inout Names, _ db: Database) throws {
        let known = (senders: names.senders.values.count, kinds: names.kinds.values.count)
        let (sender, kind) = (names.senders.number(of: event.origin), names.kinds.number(of: event.kind))
        if sender == known.senders { try insert(event.origin, sender: sender, db) }
        if kind == known.kinds { try insert(event.kind, kind: kind, db) }
        try insert(event, sender: sender, kind: kind, db)
    }

    static func insert(_ event: BlockEvent, sender: Int, kind: Int, _ db: Database) throws {
        var row = try CheckedRow(db, reusing: insertEvent)
        try row.bind(event.id)
        try row.bind(Int64(sender))
        try row.bind(Int64(kind))
        try row.bind(Int64(event.level.rawValue))
        try row.bind(bits: event.realtimeMicroseconds)
        try row.bind(bits: event.monotonicMicroseconds)
        try row.bind(bits: event.seqnum)
        try row.bind(bits: event.entryHash)
        try row.bind(Int64(event.ordinal))
        try row.bind(event.pid.map(Int64.init))
        if event.findings.isEmpty {
            try row.bindNull()
        } else {
            try row.bind(unowned: event.findings, asText: true)
        }
        try row.bind(unowned: event.payload, asText: false)
        try row.bind(event.program.level.map { Int64($0.rawValue) })
        try row.bind(event.program.timeMicroseconds.map { Int64(bitPattern: $0) })
        if event.text.isEmpty {
            try row.bindNull()
        } else {
            try row.bind(unowned: event.text, asText: false)
        }
        try row.run()
    }

    static func insert(_ origin: Origin, sender: Int, _ db: Database) throws {
        var row = try CheckedRow(db, reusing: insertSender)
        try row.bind(Int64(sender))
        try row.bind(origin.bootID.description)
        try row.bind(origin.seqnumID.description)
        try row.bind(origin.source)
        try row.bind(origin.keyFields.text)
        for field in SenderField.allCases { try row.bind(origin[field]) }
        try row.run()
    }

    static func insert(_ resolved: ResolvedKind, kind: Int, _ db: Database) throws {
        var row = try CheckedRow(db, reusing: insertKind)
        try row.bind(Int64(kind))
        try row.bind(resolved.resolution.rawValue)
        try row.bind(resolved.kind.dictionary)
        try row.bind(resolved.kind.definitionsVersion)
        try row.bind(resolved.kind.key?.category)
        try row.bind(resolved.kind.key?.name)
        try row.run()
    }

    // MARK: reading

    /// Returns the lowest and the highest id, the earliest and the latest time.
    static func span(_ db: Database) throws -> (ids: ClosedRange<Int64>, times: ClosedRange<Int64>)? {
        let row = try BareStatement(db, reusing: "SELECT min(id), max(id), min(time), max(time) FROM open_events")
        guard try row.step(), let first = row.optionalInt64(0) else { return nil }
        return (first...max(first, row.int64(1)), row.int64(2)...max(row.int64(2), row.int64(3)))
    }

    /// Returns, for each source, the range of times of its events, up to an id. Those of damaged entries, from 2^63 on,
    /// are the latest there can be.
    static func times(upTo id: Int64, _ db: Database) throws -> [(source: String, times: ClosedRange<Int64>)] {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT source, min(iif(time < 0, ?2, time)), max(iif(time < 0, ?2, time))
                FROM open_events JOIN open_senders USING (sender) WHERE id <= ?1 GROUP BY source
                """)
        try row.bind(1, id)
        try row.bind(2, Int64.max)
        var times: [(source: String, times: ClosedRange<Int64>)] = []
        while try row.step() { times.append((row.text(0), row.int64(1)...max(row.int64(1), row.int64(2)))) }
        return times
    }

    static func count(of ids: ClosedRange<Int64>, _ db: Database) throws -> Int64 {
        let row = try BareStatement(db, reusing: "SELECT count(*) FROM open_events WHERE id BETWEEN ? AND ?")
        try row.bind(1, ids.lowerBound)
        try row.bind(2, ids.upperBound)
        return try row.step() ? row.int64(0) : 0
    }

    /// Returns the number of events, and the size of their payloads and texts.
    static func size(_ db: Database) throws -> EventAppender.Size {
        let row = try BareStatement(
            db,
            reusing: "SELECT count(*), coalesce(sum(length(payload) + coalesce(length(text), 0)), 0) FROM open_events")
        _ = try row.step()
        return EventAppender.Size(count: Int(row.int64(0)), payloadBytes: Int(row.int64(1)))
    }

    /// Returns the size of those of the events that are wanted. A damaged entry has a negative time.
    static func size(
        _ db: Database, where isWanted: (_ id: Int64, _ source: String, _ time: Int64) -> Bool
    ) throws -> EventAppender.Size {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT id, source, time, length(payload) + coalesce(length(text), 0)
                FROM open_events JOIN open_senders USING (sender)
                """)
        var size = EventAppender.Size()
        while try rows.step() {
            guard isWanted(rows.int64(0), rows.text(1), rows.int64(2)) else { continue }
            size.count += 1
            size.payloadBytes += Int(rows.int64(3))
        }
        return size
    }

    /// Calls `body` with all events as they go into a block, ascending by id.
    static func forEach(_ db: Database, _ body: (BlockEvent) throws -> Void) throws {
        let (senders, kinds) = (try senders(db), try kinds(db))
        let rows = try BareStatement(db, reusing: "SELECT \(eventColumns) FROM open_events ORDER BY id")
        while try rows.step() {
            let (sender, kind) = (rows.int64(1), rows.int64(2))
            guard rows.isChecksum(eventChecksum), sender >= 0, sender < senders.count, kind >= 0, kind < kinds.count,
                let level = Level(stored: rows.int64(3))
            else { throw damaged("event \(rows.int64(0))") }
            try body(
                BlockEvent(
                    id: rows.int64(0), origin: senders[Int(sender)], level: level,
                    pid: rows.optionalInt64(9).map { Int32(truncatingIfNeeded: $0) }, seqnum: rows.bits(6),
                    monotonicMicroseconds: rows.bits(5), realtimeMicroseconds: rows.bits(4), entryHash: rows.bits(7),
                    ordinal: UInt32(truncatingIfNeeded: rows.int64(8)), kind: kinds[Int(kind)],
                    findings: rows.bytes(10), payload: rows.bytes(11), text: rows.bytes(14),
                    program: try programFacts(rows, at: 12)))
        }
    }

    /// - Parameter column: that of the level; the time is the next.
    static func programFacts(_ row: borrowing BareStatement, at column: Int32) throws -> ProgramFacts {
        let level = try row.optionalInt64(column).map { number in
            guard let level = Level(stored: number) else {
                throw damaged("a level")
            }
            return level
        }
        let time = row.optionalInt64(column + 1).map { UInt64(bitPattern: $0) }
        return ProgramFacts(level: level, timeMicroseconds: time)
    }

    /// Returns the senders by their numbers, which have no holes.
    static func senders(_ db: Database) throws -> [Origin] {
        let rows = try BareStatement(db, reusing: "SELECT \(senderNames) FROM open_senders ORDER BY sender")
        var senders: [Origin] = []
        while try rows.step() {
            guard rows.isChecksum(senderChecksum), rows.int64(0) == Int64(senders.count),
                let bootID = ID128(rows.text(1)), let seqnumID = ID128(rows.text(2))
            else { throw damaged("sender \(rows.int64(0))") }
            senders.append(
                Origin(
                    SenderValues { rows.optionalText(Int32(5 + $0.place)) }, bootID: bootID, seqnumID: seqnumID,
                    source: rows.text(3), keyFields: KeyFields(text: rows.text(4))))
        }
        return senders
    }

    /// Returns the kinds by their numbers, which have no holes.
    static func kinds(_ db: Database) throws -> [ResolvedKind] {
        let rows = try BareStatement(db, reusing: "SELECT \(kindColumns) FROM open_kinds ORDER BY kind")
        var kinds: [ResolvedKind] = []
        while try rows.step() {
            guard rows.isChecksum(kindChecksum), rows.int64(0) == Int64(kinds.count),
                let resolution = Resolution(rawValue: rows.text(1))
            else { throw damaged("kind \(rows.int64(0))") }
            let key = rows.isNull(5) ? nil : EventKey(category: rows.text(4), name: rows.text(5))
            kinds.append(
                ResolvedKind(
                    resolution,
                    EventKind(dictionary: rows.optionalText(2), definitionsVersion: rows.optionalText(3), key: key)))
        }
        return kinds
    }

    static func damaged(_ what: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(what) of the newest events is damaged")
    }
}
