internal import GRDB
internal import Model

/// The key that a finding is counted by: one row of the table `finding_counts`.
struct FindingKey: Sendable, Hashable {
    /// Longer names are counted under `CountKey.other`.
    private static let longestName = 256

    @Exact var rule: String
    /// Empty for rules that do not concern a parameter; `CountKey.other` for names beyond the limit.
    @Exact var parameter: String

    /// Whether the name of the parameter comes from the payload and not from the definition. The number of such names
    /// is unbounded.
    var isNamedByPayload: Bool {
        rule == Violation.Rule.unknownParameter.rawValue || rule == Warning.Rule.duplicateKey.rawValue
    }

    var other: FindingKey { FindingKey(rule: rule, parameter: CountKey.other) }
}

extension FindingKey {
    init(_ rule: String, _ parameter: String) {
        let parameter = Self.withoutIndices(parameter)
        self.init(rule: rule, parameter: parameter.utf8.count <= Self.longestName ? parameter : CountKey.other)
    }

    /// Returns `items[].price` for `items[3].price`: the elements of an array are counted together.
    private static func withoutIndices(_ path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: "[")) else { return path }
        return path.replacing(#/\[[0-9]+\]/#, with: "[]")
    }
}

extension Findings {
    /// The key that each finding is counted by.
    var keys: [FindingKey] {
        violations.map { FindingKey($0.rule.rawValue, $0.parameter) }
            + warnings.map { FindingKey($0.rule.rawValue, $0.parameter ?? "") }
    }
}

/// The table `finding_counts`, for the connection that writes: how often each violation and warning has ever
/// occurred.
struct FindingCountTable: Sendable {
    static let schema = """
        CREATE TABLE finding_counts ( -- how often each violation and warning ever came, by the event that had it
            event_count INTEGER NOT NULL, -- event_counts.id
            rule TEXT NOT NULL,          -- such as type or obsolete-parameter
            parameter TEXT NOT NULL,     -- whose; empty for rules about none; (other) where names are too many
            seen INTEGER NOT NULL,       -- findings ever saved; retention does not lower it, reprocessing does
            last_event INTEGER NOT NULL, -- id of the newest event that had it when it was counted
            first_time INTEGER NOT NULL, -- earliest time, microseconds since 1970; reprocessing does not change it
            last_time INTEGER NOT NULL,  -- latest time, microseconds since 1970; reprocessing does not change it
            PRIMARY KEY (event_count, rule, parameter)
        ) WITHOUT ROWID;
        """

    /// The maximum number of names from payloads that are counted individually for each event.
    static let namesOfEvent = 100
    /// The number of events for which these names are cached.
    private static let eventsKept = 256

    /// The names from payloads, by `event_counts.id`.
    private var payloadNames: [Int64: Set<ExactString>] = [:]
    private var rows: Int64
    private let limit: (rows: Int64, bytes: Int64)
    /// The approximate size of the rows.
    private(set) var bytes: Int64

    private static let rowBytes = "48 + length(rule) + length(CAST(parameter AS BLOB))"

    init(_ db: Database, limit: SizeLimit) throws {
        self.limit = (limit.countedFindings, limit.countedBytes)
        let row = try BareStatement(db, "SELECT count(*), coalesce(sum(\(Self.rowBytes)), 0) FROM finding_counts")
        _ = try row.step()
        (rows, bytes) = (row.int64(0), row.int64(1))
    }

    private var hasRoom: Bool { rows < limit.rows && bytes < limit.bytes }

    /// - Parameter event: `event_counts.id`.
    mutating func add(_ more: Occurrences, to key: FindingKey, of event: Int64, _ db: Database) throws {
        let key = try counted(key, of: event, db)
        let row = try BareStatement(
            db,
            reusing: """
                INSERT INTO finding_counts (event_count, rule, parameter, seen, last_event, first_time, last_time)
                VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET seen = seen + excluded.seen,
                last_event = max(last_event, excluded.last_event), first_time = min(first_time, excluded.first_time),
                last_time = max(last_time, excluded.last_time) RETURNING seen = ?4, \(Self.rowBytes)
                """)
        try Self.bind(event, key, to: row)
        try more.bind(to: row, from: 4)
        // An existing row has a higher count than what is added.
        if try row.step(), row.int64(0) == 1 {
            rows += 1
            bytes += row.int64(1)
        }
        _ = try row.step()
    }

    /// Subtracts findings of events that have changed. A row whose count reaches 0 is removed.
    /// - Parameter events: from `EventCountTable.rows(ofCounted:_:)`. What a row has not counted is subtracted from the
    ///   next: in each, the finding was counted by its name or under `CountKey.other`.
    mutating func subtract(_ count: Int64, from key: FindingKey, of events: [Int64], _ db: Database) throws {
        var rest = count
        for event in events {
            for key in [key, key.other] where rest > 0 { rest = try subtract(rest, from: key, ofRow: event, db) }
        }
        // The row for all others does not know whose its findings are. If those of one event were subtracted in place of
        // those of another, some are left under a name that is gone.
        while rest > 0, let others = events.last, let name = try Self.mostSeen(key.rule, of: others, db) {
            let left = try subtract(rest, from: FindingKey(rule: key.rule, parameter: name), ofRow: others, db)
            // The name of a damaged row is found, but no row is by that name.
            guard left < rest else { break }
            rest = left
        }
    }

    /// - Returns: how many the row has not counted.
    private mutating func subtract(
        _ count: Int64, from key: FindingKey, ofRow event: Int64, _ db: Database
    ) throws -> Int64 {
        let update = try BareStatement(
            db,
            reusing: """
                UPDATE finding_counts SET seen = seen - ?4 WHERE event_count = ?1 AND rule = ?2 AND parameter = ?3
                RETURNING seen
                """)
        try Self.bind(event, key, to: update)
        try update.bind(4, count)
        guard try update.step() else { return count }
        let left = update.int64(0)
        _ = try update.step()
        if left <= 0 { try remove("event_count = \(event) AND seen <= 0", db) }
        // A row whose count is damaged may have had less than nothing.
        return max(0, -max(left, -count))
    }

    private static func mostSeen(_ rule: String, of event: Int64, _ db: Database) throws -> String? {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT parameter FROM finding_counts WHERE event_count = ? AND rule = ? ORDER BY seen DESC LIMIT 1
                """)
        try row.bind(1, event)
        try row.bind(2, rule)
        return try row.step() ? row.text(0) : nil
    }

    /// - Parameter condition: SQL that refers to numbers only.
    mutating func remove(_ condition: String, _ db: Database) throws {
        let gone = try BareStatement(db, "DELETE FROM finding_counts WHERE \(condition) RETURNING \(Self.rowBytes)")
        while try gone.step() {
            rows -= 1
            bytes -= gone.int64(0)
            payloadNames.removeAll()
        }
    }

    private static func bind(_ event: Int64, _ key: FindingKey, to row: borrowing BareStatement) throws {
        try row.bind(1, event)
        try row.bind(2, key.rule)
        try row.bind(3, key.parameter)
    }

    /// Returns the key that the table has, or will have, for a finding.
    private mutating func counted(_ key: FindingKey, of event: Int64, _ db: Database) throws -> FindingKey {
        guard key.isNamedByPayload else { return hasRoom ? key : try known(key, of: event, db) }
        if payloadNames[event] == nil {
            let names = try Self.names(event, db)
            if payloadNames.count >= Self.eventsKept { payloadNames.removeAll() }
            payloadNames[event] = names
        }
        if payloadNames[event]?.contains(key.parameter) ?? false { return key }
        guard hasRoom, payloadNames[event].map({ $0.count < Self.namesOfEvent }) ?? false else { return key.other }
        payloadNames[event]?.insert(key.parameter)
        return key
    }

    private func known(_ key: FindingKey, of event: Int64, _ db: Database) throws -> FindingKey {
        let row = try BareStatement(
            db, reusing: "SELECT 1 FROM finding_counts WHERE event_count = ? AND rule = ? AND parameter = ?")
        try Self.bind(event, key, to: row)
        return try row.step() ? key : key.other
    }

    private static func names(_ event: Int64, _ db: Database) throws -> Set<ExactString> {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT DISTINCT parameter FROM finding_counts WHERE event_count = ?
                AND rule IN ('unknown-parameter', 'duplicate-key') LIMIT \(namesOfEvent + 1)
                """)
        try row.bind(1, event)
        var names: Set<ExactString> = []
        while try row.step() { names.insert(ExactString(row.text(0))) }
        names.remove(ExactString(CountKey.other))
        return names
    }
}
