internal import Model

/// What a change adds to the counters and takes from them, added up before it is written: the same usually comes many times.
struct CountTally {
    struct Part {
        var key: CountKey
        var gained: Occurrences?
        /// How many events.
        var lost: Int64 = 0
        var gainedFindings: [FindingKey: Occurrences] = [:]
        /// How many of each.
        var lostFindings: [FindingKey: Int64] = [:]
        /// How many names that payloads made up have a sum of their own.
        fileprivate var madeUp = 0
        /// What came last: events of one sort usually have the same findings.
        fileprivate var last: (findings: Findings, keys: [FindingKey])?
    }

    /// What tells the names of events apart quickly.
    private struct Slot: Hashable {
        var origin: ObjectIdentifier
        var kind: ObjectIdentifier
        var resolution: Resolution
    }

    private(set) var parts: [Part] = []
    /// What the ids of its events are counted from.
    var firstID: Int64 = 0
    /// The objects that slots name: another one could have the address of one that is gone.
    private var held: [(Origin, EventKind)] = []
    private var slots: [Slot: Int] = [:]
    private var lastSlot: (slot: Slot, place: Int)?

    init() {}

    /// New events, whose ids follow each other from `firstID` on.
    init(_ events: [ResolvedEvent]) {
        for (place, event) in events.enumerated() {
            add(
                event.entry.origin, ResolvedKind(event.resolution, event.kind), event.findings, id: Int64(place),
                time: Int64(bitPattern: event.entry.realtimeMicroseconds))
        }
    }

    /// Counts an event that is there from now on.
    /// - Parameter id: behind `firstID`.
    mutating func add(_ origin: Origin, _ kind: ResolvedKind, _ findings: Findings?, id: Int64, time: Int64) {
        let place = place(of: origin, kind)
        let one = Occurrences(of: id, at: time)
        if parts[place].gained?.add(one) == nil { parts[place].gained = one }
        guard let findings, !findings.isEmpty else { return }
        for key in parts[place].counted(findings) {
            if parts[place].gainedFindings[key]?.add(one) == nil { parts[place].gainedFindings[key] = one }
        }
    }

    /// Takes back an event as it was.
    mutating func remove(_ origin: Origin, _ kind: ResolvedKind, _ findings: Findings?) {
        let place = place(of: origin, kind)
        parts[place].lost += 1
        for key in findings?.keys ?? [] { parts[place].lostFindings[key, default: 0] += 1 }
    }

    /// How many were counted, by what they are.
    var seen: [Resolution: Int64] {
        parts.reduce(into: [:]) { $0[$1.key.resolution, default: 0] += $1.gained?.count ?? 0 }
    }

    private mutating func place(of origin: Origin, _ kind: ResolvedKind) -> Int {
        let slot = Slot(
            origin: ObjectIdentifier(origin), kind: ObjectIdentifier(kind.kind), resolution: kind.resolution)
        if let lastSlot, lastSlot.slot == slot { return lastSlot.place }
        let place = slots[slot] ?? parts.count
        if place == parts.count {
            parts.append(Part(key: CountKey(origin, kind)))
            held.append((origin, kind.kind))
            slots[slot] = place
        }
        lastSlot = (slot, place)
        return place
    }
}

extension CountTally.Part {
    /// What findings are counted by. Of names that payloads made up it is a bounded number.
    fileprivate mutating func counted(_ findings: Findings) -> [FindingKey] {
        if let last, last.findings == findings { return last.keys }
        let keys = findings.keys.map { key in
            guard key.isNamedByPayload, gainedFindings[key] == nil else { return key }
            guard madeUp < FindingCountTable.namesOfEvent else { return key.other }
            madeUp += 1
            return key
        }
        last = (findings, keys)
        return keys
    }
}
