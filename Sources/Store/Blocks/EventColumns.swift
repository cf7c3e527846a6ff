internal import Model

/// Events whose columns are read one by one, as far as somebody asks for them: those of a packed block, or the newest ones,
/// which are in none yet. Events are known by their place, from 0.
protocol EventColumns {
    var count: Int { get }
    /// Ascending.
    func ids() throws -> PackedIntegers
    /// Microseconds since 1970.
    func times() throws -> PackedIntegers
    /// The earliest and the latest time, where they are known without a look at all.
    var timeRange: ClosedRange<Int64>? { get }
    func levels() throws -> PackedIntegers
    /// -1 for events without one.
    func pids() throws -> PackedIntegers
    /// As `BlockTable` has them: most blocks have many, and few of them become objects.
    func senderTexts() throws -> EventTexts
    func kindTexts() throws -> EventTexts
    /// What was found in them, as `FindingsText`; empty for nothing.
    func findingTexts() throws -> PackedValues
    /// - Parameter events: in any order.
    func uids(of events: [Int]) throws -> [EventUID]
    /// Leaves of the selection what meets the condition.
    /// - Parameter selection: ascending.
    func select(_ condition: ValueCondition, _ selection: inout [Int]) throws
    /// Leaves of the selection the events whose payloads have some bytes.
    /// - Parameter selection: ascending.
    func select(having literal: [UInt8], _ selection: inout [Int]) throws
    /// - Parameter events: ascending.
    func forEachPayload(of events: [Int], _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws
    /// - Parameters:
    ///   - events: ascending.
    ///   - body: returns whether it wants the next one, too. Whoever keeps an event keeps a copy of its payload, as the memory
    ///     that it is in may have room for more.
    func read(_ events: [Int], while body: (borrowing Event) throws -> Bool) throws
}

extension EventColumns {
    /// - Parameter events: ascending.
    func forEachEvent(of events: [Int], _ body: (borrowing Event) throws -> Void) throws {
        try read(events) { event in
            try body(event)
            return true
        }
    }

    /// - Parameter events: ascending.
    func events(_ events: [Int]) throws -> [Event] {
        var found: [Event] = []
        found.reserveCapacity(events.count)
        try forEachEvent(of: events) { found.append($0.kept()) }
        return found
    }
}

extension Event {
    /// The same, with a payload that takes no more memory than it needs.
    borrowing func kept() -> Event {
        var kept = copy self
        kept.payload = payload.withUnsafeBytes { Array($0) }
        return kept
    }
}

/// Different rows of texts, and for each event the number of its own.
struct EventTexts {
    var table: BlockTexts
    var numbers: PackedIntegers
}

/// What rows of such a table stand for: each is made when an event that has it is looked at.
struct EventRows<Value> {
    private let texts: EventTexts
    private let make: (BlockTexts, Int) throws(BlockDamage) -> Value
    private var values: [Value?]

    init(_ texts: EventTexts, _ make: @escaping (BlockTexts, Int) throws(BlockDamage) -> Value) {
        self.texts = texts
        self.make = make
        values = [Value?](repeating: nil, count: texts.table.count)
    }

    var count: Int { values.count }

    @inline(__always)
    func number(of event: Int) -> Int { Int(texts.numbers[event]) }

    @inline(__always)
    mutating func row(_ number: Int) throws(BlockDamage) -> Value {
        if let known = values[number] { return known }
        let value = try make(texts.table, number)
        values[number] = value
        return value
    }

    @inline(__always)
    mutating func row(of event: Int) throws(BlockDamage) -> Value { try row(number(of: event)) }
}

extension EventRows<Origin> {
    static func senders(_ texts: EventTexts) -> Self {
        Self(texts) { table, row throws(BlockDamage) in try BlockTable.origin(table, row) }
    }
}

extension EventRows<ResolvedKind> {
    static func kinds(_ texts: EventTexts) -> Self {
        Self(texts) { table, row throws(BlockDamage) in try BlockTable.kind(table, row) }
    }
}
