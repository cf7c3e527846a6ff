internal import Model

/// What a change adds to the counters and takes from them, added up before it is written: the same usually comes many times.
struct CountTally: Sendable {
    /// Events of one sender, kind and resolution.
    struct Part: Sendable {
        /// What they are counted by. Names may be as many as events: they stay where they are.
        fileprivate let origin: Origin
        fileprivate let kind: ResolvedKind
        private let hash: Int
        var gained: Occurrences?
        /// How many events.
        var lost: Int64 = 0

        fileprivate init(_ origin: Origin, _ kind: ResolvedKind) {
            (self.origin, self.kind) = (origin, kind)
            hash = CountKey(origin, kind).hashValue
        }

        var key: Hashed<CountKey> { Hashed(CountKey(origin, kind), hash: hash) }
    }

    /// What was found in the events of a part.
    struct Found: Sendable {
        var gained: [FindingKey: Occurrences] = [:]
        /// How many of each.
        var lost: [FindingKey: Int64] = [:]
        /// How many names that payloads made up have a sum of their own.
        private var madeUp = 0
        /// What came last: events of one sort usually have the same findings.
        private var last: (findings: Findings, keys: [FindingKey])?
    }

    /// What tells the names of events apart quickly. Parts hold the objects: another one cannot have the address.
    private struct Slot: Sendable, Hashable {
        var origin: ObjectIdentifier
        var kind: ObjectIdentifier
        var resolution: Resolution
    }

    private(set) var parts: [Part] = []
    /// By the place of the part; most have none.
    private var found: [Int: Found] = [:]
    /// What the ids of its events are counted from.
    var firstID: Int64 = 0
    private var slots: [Slot: Int] = [:]
    private var lastSlot: (slot: Slot, place: Int)?

    init() {}

    /// New events, whose ids follow each other from `firstID` on.
    init(_ events: [ResolvedEvent]) {
        for place in events.indices {
            add(
                events[place].entry.origin, ResolvedKind(events[place].resolution, events[place].kind),
                events[place].findings, id: Int64(place),
                time: Int64(bitPattern: events[place].entry.realtimeMicroseconds))
        }
    }

    /// Counts an event that is there from now on.
    /// - Parameter id: behind `firstID`.
    mutating func add(_ origin: Origin, _ kind: ResolvedKind, _ findings: Findings?, id: Int64, time: Int64) {
        let place = place(of: origin, kind)
        let one = Occurrences(of: id, at: time)
        if parts[place].gained?.add(one) == nil { parts[place].gained = one }
        guard let findings, !findings.isEmpty else { return }
        found[place, default: Found()].add(findings, one)
    }

    /// Takes back an event as it was.
    mutating func remove(_ origin: Origin, _ kind: ResolvedKind, _ findings: Findings?) {
        let place = place(of: origin, kind)
        parts[place].lost += 1
        for key in findings?.keys ?? [] { found[place, default: Found()].lost[key, default: 0] += 1 }
    }

    /// What was found in the events of a part; `nil` for nothing.
    func found(inPart place: Int) -> Found? { found[place] }

    /// How many were counted, by what they are.
    var seen: [Resolution: Int64] {
        parts.indices.reduce(into: [:]) { $0[parts[$1].kind.resolution, default: 0] += parts[$1].gained?.count ?? 0 }
    }

    /// Who sent what of its events: each sender and kind at least once.
    func forEachSort(_ body: (Origin, EventKind) -> Void) {
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

    /// What findings are counted by. Of names that payloads made up it is a bounded number.
    private mutating func counted(_ findings: Findings) -> [FindingKey] {
        if let last, last.findings == findings { return last.keys }
        let keys = findings.keys.map { key in
            guard key.isNamedByPayload, gained[key] == nil else { return key }
            guard madeUp < FindingCountTable.namesOfEvent else { return key.other }
            madeUp += 1
            return key
        }
        last = (findings, keys)
        return keys
    }
}
