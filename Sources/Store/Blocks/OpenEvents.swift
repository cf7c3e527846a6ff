internal import GRDB
internal import Model

/// The open events in the database within a range of ids. An instance is valid within one access to the database.
final class OpenEvents: EventColumns {
    private let db: Database
    private let table: Table
    /// Values of parameters, if several are asked for.
    var kept: KeptParameters?

    private struct Table {
        var ids: [Int64] = []
        var times: [Int64] = []
        var levels: [Int64] = []
        var programLevels: [Int64] = []
        var programTimes: [Int64] = []
        var haveTexts: [Bool] = []
        var pids: [Int64] = []
        var senders: [Int64] = []
        var kinds: [Int64] = []
    }

    /// - Parameter limit: how many of them are read, from the first on. Each takes as long as its payload is large.
    init(_ db: Database, ids: ClosedRange<Int64>, limit: Int = .max) throws {
        self.db = db
        let rows = try BareStatement(
            db,
            reusing: "SELECT \(OpenEventTable.eventColumns) FROM open_events \(Self.within) LIMIT ?")
        try rows.bind(1, ids.lowerBound)
        try rows.bind(2, ids.upperBound)
        try rows.bind(3, Int64(limit))
        var table = Table()
        while try rows.step() {
            // All of the row, once: what is read of it later, within the same access, is as it was written.
            guard rows.isChecksum(OpenEventTable.eventChecksum) else {
                throw OpenEventTable.damaged("event \(rows.int64(0))")
            }
            table.ids.append(rows.int64(0))
            table.senders.append(rows.int64(1))
            table.kinds.append(rows.int64(2))
            table.levels.append(rows.int64(3))
            table.times.append(rows.int64(4))
            table.pids.append(rows.optionalInt64(9) ?? -1)
            table.programLevels.append(rows.optionalInt64(12) ?? -1)
            table.programTimes.append(rows.optionalInt64(13) ?? -1)
            table.haveTexts.append(!rows.isNull(14))
        }
        self.table = table
    }

    var count: Int { table.ids.count }
    var timeRange: ClosedRange<Int64>? { nil }

    func ids() -> PackedIntegers { PackedIntegers(table.ids) }
    func times() -> PackedIntegers { PackedIntegers(table.times) }
    func levels() -> PackedIntegers { PackedIntegers(table.levels) }
    func programLevels() -> PackedIntegers? {
        table.programLevels.contains { $0 != -1 } ? PackedIntegers(table.programLevels) : nil
    }
    func programTimes() -> PackedIntegers? {
        table.programTimes.contains { $0 != -1 } ? PackedIntegers(table.programTimes) : nil
    }
    func pids() -> PackedIntegers { PackedIntegers(table.pids) }

    private lazy var senderTable = Result { try checked(OpenEventTable.senders(db), table.senders) }
    private lazy var kindTable = Result { try checked(OpenEventTable.kinds(db), table.kinds) }

    /// The distinct values, and the number of its value for each event.
    private struct Repeated<Value> {
        var values: [Value]
        var numbers: [Int64]

        subscript(event: Int) -> Value { values[Int(numbers[event])] }
    }

    private func senders() throws -> Repeated<Origin> { try senderTable.get() }
    private func kinds() throws -> Repeated<ResolvedKind> { try kindTable.get() }

    func senderTexts() throws -> EventTexts {
        let senders = try senders()
        return try texts(senders.values, senders.numbers, BlockTable.senders, columns: BlockTable.senderColumns)
    }

    func kindTexts() throws -> EventTexts {
        let kinds = try kinds()
        return try texts(kinds.values, kinds.numbers, BlockTable.kinds, columns: BlockTable.kindColumns)
    }

    /// Returns the texts as a block would have them.
    private func texts<Row>(
        _ rows: [Row], _ numbers: [Int64], _ empty: BlockTextWriter<Row>, columns: Int
    ) throws -> EventTexts {
        var writer = empty
        for row in rows { writer.append(row) }
        let table = try unpacked({ writer.append(to: &$0) }) { input throws(BlockDamage) in
            try BlockTexts(&input, columns: columns)
        }
        return EventTexts(table: table, numbers: PackedIntegers(numbers))
    }

    private func unpacked<Value>(
        _ write: (inout ByteWriter) -> Void, _ read: (inout ByteReader) throws(BlockDamage) -> Value
    ) throws -> Value {
        var output = ByteWriter()
        write(&output)
        return try output.bytes.withUnsafeBytes { bytes in
            var input = ByteReader(bytes)
            return try read(&input)
        }
    }

    private lazy var findingColumn = Result { try column("SELECT findings FROM open_events \(Self.within)") }
    private lazy var textColumn = Result { try column("SELECT text FROM open_events \(Self.within)") }

    func findingTexts() throws -> PackedValues { try findingColumn.get() }

    func texts() throws -> PackedValues? {
        guard table.haveTexts.contains(true) else { return nil }
        return try textColumn.get()
    }

    /// - Parameter query: selects a value of an event, by its id.
    private func column(_ query: String) throws -> PackedValues {
        let row = try BareStatement(db, reusing: query)
        var values = ValueColumn()
        try forEachRow(row, of: Array(0..<count)) { row, _ in values.append(row.bytes(0)) }
        return try unpacked({ values.append(to: &$0) }) { [count] input throws(BlockDamage) in
            try PackedValues(count, from: &input)
        }
    }

    private static func naming<Value>(_ id: Int64, _ body: () throws(BlockDamage) -> Value) throws -> Value {
        do throws(BlockDamage) {
            return try body()
        } catch {
            throw OpenEventTable.damaged("event \(id)")
        }
    }

    func uids(of events: [Int]) throws -> [EventUID] {
        let senders = try senders()
        let row = try BareStatement(
            db, reusing: "SELECT monotonic, entry_hash, ordinal FROM open_events \(Self.within)")
        var uids: [EventUID] = []
        try forEachRow(row, of: events) { row, event in
            uids.append(
                EventUID(
                    bootID: senders[event].bootID, monotonicMicroseconds: row.bits(0), entryHash: row.bits(1),
                    ordinal: UInt32(truncatingIfNeeded: row.int64(2))))
        }
        return uids
    }

    func places(of events: [Int]) throws -> [EntryPlace] {
        let senders = try senders()
        let row = try BareStatement(
            db, reusing: "SELECT monotonic, seqnum, entry_hash FROM open_events \(Self.within)")
        var places: [EntryPlace] = []
        try forEachRow(row, of: events) { [table] row, event in
            let cursor = JournalCursor(
                seqnumID: senders[event].seqnumID, seqnum: row.bits(1), bootID: senders[event].bootID,
                monotonicMicroseconds: row.bits(0), realtimeMicroseconds: UInt64(bitPattern: table.times[event]))
            places.append(EntryPlace(cursor: cursor, entryHash: row.bits(2)))
        }
        return places
    }

    private func checked<Value>(_ values: [Value], _ numbers: [Int64]) throws -> Repeated<Value> {
        guard numbers.allSatisfy({ $0 >= 0 && $0 < values.count }) else {
            throw OpenEventTable.damaged("what repeats")
        }
        return Repeated(values: values, numbers: numbers)
    }

    func select(_ condition: ValueCondition, _ selection: inout [Int], until turn: ReadTurn?) throws {
        let kinds = try kinds()
        var met: [Int] = []
        try forEachPayload(of: selection.filter { kinds[$0].resolution.hasPayload }) { event, payload in
            if try condition.meets(payload, until: turn) { met.append(event) }
        }
        selection = met
    }

    func select(having literal: Literal, _ selection: inout [Int]) throws {
        var found: [Int] = []
        try forEachPayload(of: selection) { event, payload in
            if payload.has(literal) { found.append(event) }
        }
        selection = found
    }

    /// They are read to be searched in any case.
    func select(having run: ByteRun, _ selection: inout [Int]) {}

    func forEachPayload(of events: [Int], _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
        let row = try BareStatement(db, reusing: "SELECT payload FROM open_events \(Self.within)")
        try forEachRow(row, of: events) { row, event in try body(event, row.bytes(0)) }
    }

    func read(_ events: [Int], while body: (borrowing Event) throws -> Bool) throws {
        let (senders, kinds) = (try senders(), try kinds())
        let isAscending = events.isAscending
        let row = try BareStatement(
            db,
            reusing: """
                SELECT monotonic, seqnum, entry_hash, ordinal, pid, findings, payload, program_level, program_time, text FROM
                open_events \(isAscending ? Self.within : Self.withinDescending)
                """)
        var known = KnownFindings()
        try readRows(row, of: events, step: isAscending ? 1 : -1) { [table] row, event in
            let kind = kinds[event]
            guard let level = Level(stored: table.levels[event]) else {
                throw OpenEventTable.damaged("event \(table.ids[event])")
            }
            let findings = try Self.naming(table.ids[event]) { () throws(BlockDamage) in
                try known.findings(row.bytes(5))
            }
            let text = try Self.naming(table.ids[event]) { () throws(BlockDamage) in
                try StoredText.decoded(row.bytes(9))
            }
            return try body(
                Event(
                    id: table.ids[event], origin: senders[event], level: level,
                    pid: row.optionalInt64(4).map { Int32(truncatingIfNeeded: $0) }, seqnum: row.bits(1),
                    monotonicMicroseconds: row.bits(0), realtimeMicroseconds: UInt64(bitPattern: table.times[event]),
                    entryHash: row.bits(2), ordinal: UInt32(truncatingIfNeeded: row.int64(3)),
                    resolution: kind.resolution, kind: kind.kind, findings: findings,
                    payload: Array(row.bytes(6)), text: text, program: try OpenEventTable.programFacts(row, at: 7)))
        }
    }

    private func forEachRow(
        _ row: borrowing BareStatement, of events: [Int], _ body: (borrowing BareStatement, Int) throws -> Void
    ) throws {
        try readRows(row, of: events, step: 1) { row, event in
            try body(row, event)
            return true
        }
    }

    /// The rows that a statement for `readRows` reads.
    private static let within = "WHERE id BETWEEN ? AND ? ORDER BY id"
    private static let withinDescending = within + " DESC"

    /// - Parameters:
    ///   - row: selects rows within a range.
    ///   - events: in any order. Those that follow each other as the rows do are read together.
    ///   - step: 1 if the rows ascend, -1 if they descend.
    ///   - body: returns whether to continue.
    private func readRows(
        _ row: borrowing BareStatement, of events: [Int], step: Int,
        while body: (borrowing BareStatement, Int) throws -> Bool
    ) throws {
        var rest = events[...]
        while let first = rest.first {
            // Looking for a row takes as long as reading two.
            let run = rest.endOfRun(step, leavingOut: 2)
            let last = rest[run - 1]
            try row.bind(1, table.ids[min(first, last)])
            try row.bind(2, table.ids[max(first, last)])
            defer { row.reset() }
            var next = first
            while let event = rest.first, rest.startIndex < run {
                var isRead = false
                while !isRead {
                    guard try row.step() else { throw OpenEventTable.damaged("event \(table.ids[next])") }
                    isRead = next == event
                    next += step
                }
                guard try body(row, event) else { return }
                rest.removeFirst()
            }
        }
    }
}

extension ArraySlice<Int> {
    /// Returns where a number follows that is not behind the one before, or has more than some between.
    /// - Parameter step: 1 if they ascend, -1 if they descend.
    fileprivate func endOfRun(_ step: Int, leavingOut most: Int) -> Int {
        var end = startIndex + 1
        while end < endIndex, 1...most + 1 ~= (self[end] - self[end - 1]) * step { end += 1 }
        return end
    }
}
