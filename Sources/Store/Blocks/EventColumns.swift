internal import Model

/// Events whose columns are read on demand: those of a packed block, or the open events, which are in no block yet.
/// Events are identified by their position, from 0.
protocol EventColumns {
    var count: Int { get }
    /// Returns the ids, ascending.
    func ids() throws -> PackedIntegers
    /// Returns the times, in microseconds since 1970.
    func times() throws -> PackedIntegers
    /// The earliest and the latest time, where they are known without reading the events.
    var timeRange: ClosedRange<Int64>? { get }
    /// Returns the levels by the journal.
    func levels() throws -> PackedIntegers
    /// Returns the levels by programs; -1 where they say none. `nil` if none does.
    func programLevels() throws -> PackedIntegers?
    /// Returns the times that programs say, in microseconds since 1970; -1 where they say none. `nil` if none does.
    func programTimes() throws -> PackedIntegers?
    /// Returns the texts of the payloads as `StoredText`, empty for none; `nil` if no event has one.
    func texts() throws -> PackedValues?
    /// Returns the pids; -1 for events without one.
    func pids() throws -> PackedIntegers
    /// Returns the senders as rows of texts, as `BlockTable` has them: most blocks have many, and few of these are
    /// turned into objects.
    func senderTexts() throws -> EventTexts
    func kindTexts() throws -> EventTexts
    /// Returns the findings of each event as `FindingsText`, empty for none.
    func findingTexts() throws -> PackedValues
    /// - Parameter events: in any order.
    func uids(of events: [Int]) throws -> [EventUID]
    /// Returns where the entries of events are in the journal.
    /// - Parameter events: ascending.
    func places(of events: [Int]) throws -> [EntryPlace]
    /// Removes the events that do not match the condition from the selection.
    /// - Parameter selection: ascending.
    func select(_ condition: ValueCondition, _ selection: inout [Int], until turn: ReadTurn?) throws
    /// Returns the values that payloads have of a name, and the place of each event's value among them, -1 where there is none;
    /// `nil` unless all are integers, which are together.
    func integers(of name: ExactString) throws -> (values: PackedIntegers, places: [Int32])?
    /// Returns, for each event, the number of the value that its payload has of a name; -1 for events without one. Those
    /// that are not selected may have -1 as well. If a payload has several, because names of members have dots, the last one
    /// counts.
    /// - Parameters:
    ///   - inner: the way from there through arrays.
    ///   - selection: ascending.
    ///   - number: is called at least once for each distinct value.
    ///   - earlier: is called with the number of each value of an event that has others behind it, and perhaps of the last one.
    func valueNumbers(
        of name: ExactString, _ inner: [Predicate.ParameterPath.Step], among selection: [Int], _ number: NumberOfValue,
        earlier: (_ event: Int, Int32) -> Void
    ) throws -> [Int32]
    /// Removes the events whose payloads do not contain the literal from the selection.
    /// - Parameter selection: ascending.
    func select(having literal: Literal, _ selection: inout [Int]) throws
    /// Removes events whose payloads do not have such a run from the selection; not necessarily all.
    /// - Parameter selection: ascending.
    func select(having run: ByteRun, _ selection: inout [Int]) throws
    /// - Parameter events: ascending.
    func forEachPayload(of events: [Int], _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws
    /// - Parameters:
    ///   - events: ascending or descending.
    ///   - body: returns whether to continue. To keep an event, copy its payload: the memory that it is in may be
    ///     larger than the payload.
    func read(_ events: [Int], while body: (borrowing Event) throws -> Bool) throws
}

extension EventColumns {
    /// Returns the levels that filters go by: those of programs, where these say one, else those of the journal.
    func effectiveLevels() throws -> PackedIntegers {
        let levels = try levels()
        guard let own = try programLevels() else { return levels }
        return PackedIntegers(zip(own.unpacked, levels.unpacked).map { $0 < 0 ? $1 : $0 })
    }

    /// Returns the test whether an event has a payload.
    func payloadTest() throws -> (Int) -> Bool {
        let kinds = try kindTexts()
        let hasPayload = try BlockTable.resolutions(kinds.table).map(\.hasPayload)
        return { hasPayload[Int(kinds.numbers[$0])] }
    }

    /// - Parameter events: ascending or descending.
    func forEachEvent(of events: [Int], _ body: (borrowing Event) throws -> Void) throws {
        try read(events) { event in
            try body(event)
            return true
        }
    }

    /// - Parameter events: ascending or descending.
    func events(_ events: [Int]) throws -> [Event] {
        var found: [Event] = []
        found.reserveCapacity(events.count)
        try forEachEvent(of: events) { found.append($0.kept()) }
        return found
    }
}

extension [Int] {
    /// Whether it is, if it is ascending or descending.
    var isAscending: Bool { isEmpty || self[0] <= self[count - 1] }
}

extension Event {
    /// Returns a copy whose payload takes no more memory than it needs.
    borrowing func kept() -> Event {
        var kept = copy self
        kept.payload = payload.withUnsafeBytes { Array($0) }
        return kept
    }
}

/// A table of distinct rows of texts, and the number of its row for each event.
struct EventTexts {
    var table: BlockTexts
    var numbers: PackedIntegers
}

/// The values that the rows of such a table represent. A value is created when an event that has it is first read.
struct EventRows<Value> {
    private let numbers: PackedIntegers
    private var texts: SharedTexts
    private let make: (inout SharedTexts, Int) throws(BlockDamage) -> Value
    private var values: [Value?]

    init(_ texts: EventTexts, _ make: @escaping (inout SharedTexts, Int) throws(BlockDamage) -> Value) {
        numbers = texts.numbers
        self.texts = SharedTexts(texts.table)
        self.make = make
        values = [Value?](repeating: nil, count: texts.table.count)
    }

    var count: Int { values.count }

    @inline(__always)
    func number(of event: Int) -> Int { Int(numbers[event]) }

    @inline(__always)
    mutating func row(_ number: Int) throws(BlockDamage) -> Value {
        if let known = values[number] { return known }
        let value = try make(&texts, number)
        values[number] = value
        return value
    }

    @inline(__always)
    mutating func row(of event: Int) throws(BlockDamage) -> Value { try row(number(of: event)) }
}

extension EventRows<Origin> {
    static func senders(_ texts: EventTexts) -> Self {
        Self(texts) { texts, row throws(BlockDamage) in try BlockTable.origin(&texts, row) }
    }
}

extension EventRows<ResolvedKind> {
    static func kinds(_ texts: EventTexts) -> Self {
        Self(texts) { texts, row throws(BlockDamage) in try BlockTable.kind { texts.text($0, row) } }
    }
}
