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
    func senders() throws -> EventTable<Origin>
    func kinds() throws -> EventTable<ResolvedKind>
    /// The same as `BlockTable` has them: for who looks at a few, or at texts only.
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
    var table: TextTable
    var numbers: PackedIntegers
}

/// Different values, and for each event the number of its own.
struct EventTable<Value> {
    var values: [Value]
    var numbers: PackedIntegers

    subscript(event: Int) -> Value { values[Int(numbers[event])] }
}

extension EventTable: Sendable where Value: Sendable {}
