internal import Model

/// The changes to the counters, added up before they are written, since many events usually change the same counters.
struct CountTally: Sendable {
    /// Events of one sender, kind and resolution.
    struct Part: Sendable {
        /// The sender and the kind. The objects are kept without copying their texts, since there may be as many of
        /// these as events.
        fileprivate let origin: Origin
        fileprivate let kind: ResolvedKind
        private let hash: Int
        var gained: Occurrences?
        /// The number of events that are subtracted.
        var lost: Int64 = 0

        fileprivate init(_ origin: Origin, _ kind: ResolvedKind) {
            (self.origin, self.kind) = (origin, kind)
            hash = CountKey(origin, kind).hashValue
        }

        var key: Hashed<CountKey> { Hashed(CountKey(origin, kind), hash: hash) }
    }

    /// The findings in the events of a part.
    struct Found: Sendable {
        var gained: [FindingKey: Occurrences] = [:]
        /// The number of each finding that is subtracted.
        var lost: [FindingKey: Int64] = [:]
        /// The number of parameter names invented by payloads that are counted individually.
        private var payloadNameCount = 0
        /// The findings of the last event, since events with the same sender and kind usually have the same findings.
        private var last: (findings: Findings, keys: [FindingKey])?
    }

    /// A key that is compared by the addresses of the objects. The parts keep the objects alive, so that no other
    /// object can have the same address.
    private struct Slot: Sendable, Hashable {
        var origin: ObjectIdentifier
        var kind: ObjectIdentifier
        var resolution: Resolution
    }

    private(set) var parts: [Part] = []
    /// The findings by the index of the part. Most parts have none.
    private var found: [Int: Found] = [:]
    /// The id that the ids of the events are relative to.
    var firstID: Int64 = 0
    private var slots: [Slot: Int] = [:]
    private var lastSlot: (slot: Slot, place: Int)?

    init() {}

    /// Creates a tally of new events, whose ids are consecutive and begin at `firstID`.
    init(_ events: [ResolvedEvent]) {
        for place in events.indices {
            add(
                events[place].entry.origin, ResolvedKind(events[place].resolution, events[place].kind),
                events[place].findings, id: Int64(place),
                time: Int64(bitPattern: events[place].entry.realtimeMicroseconds))
        }
    }

    /// Adds a stored event.
    /// - Parameter id: relative to `firstID`.
    mutating func add(_ origin: Origin, _ kind: ResolvedKind, _ findings: Findings?, id: Int64, time: Int64) {
        let place = place(of: origin, kind)
        let one = Occurrences(of: id, at: time)
        if parts[place].gained?.add(one) == nil { parts[place].gained = one }
        guard let findings, !findings.isEmpty else { return }
        found[place, default: Found()].add(findings, one)
    }

    /// Subtracts an event in its previous state.
    mutating func remove(_ origin: Origin, _ kind: ResolvedKind, _ findings: Findings?) {
        let place = place(of: origin, kind)
        parts[place].lost += 1
        for key in findings?.keys ?? [] { found[place, default: Found()].lost[key, default: 0] += 1 }
    }

    /// Returns the findings in the events of a part; `nil` when there are none.
    func found(inPart place: Int) -> Found? { found[place] }

    /// The number of events that were added, by resolution.
    var seen: [Resolution: Int64] {
        parts.indices.reduce(into: [:]) { $0[parts[$1].kind.resolution, default: 0] += parts[$1].gained?.count ?? 0 }
    }

    /// Calls `body` with each sender and kind, at least once.
    func forEachSenderAndKind(_ body: (Origin, EventKind) -> Void) {
        for place in parts.indices { body(parts[place].origin, parts[place].kind.kind) }
    }

    private mutating func place(of origin: Origin, _ kind: ResolvedKind) -> Int {
        let slot = Slot(
            origin: ObjectIdentifier(origin), kind: ObjectIdentifier(kind.kind), resolution: kind.resolution)
        if let lastSlot, lastSlot.slot == slot { return lastSlot.place }
        let place = slots[slot] ?? parts.count
        if place == parts.count {
            parts.append(Part(origin, kind))
            slots[slot] = place
        }
        lastSlot = (slot, place)
        return place
    }
}

extension CountTally.Found {
    fileprivate mutating func add(_ findings: Findings, _ one: Occurrences) {
        for key in counted(findings) {
            if gained[key]?.add(one) == nil { gained[key] = one }
        }
    }

    /// Returns the keys that findings are counted by. The number of names that were invented by payloads is bounded.
    private mutating func counted(_ findings: Findings) -> [FindingKey] {
        if let last, last.findings == findings { return last.keys }
        let keys = findings.keys.map { key in
            guard key.isNamedByPayload, gained[key] == nil else { return key }
            guard payloadNameCount < FindingCountTable.namesOfEvent else { return key.other }
            payloadNameCount += 1
            return key
        }
        last = (findings, keys)
        return keys
    }
}
