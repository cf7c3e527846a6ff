import Model

/// The rules' decision for entries that have the same decisive fields.
struct Decision {
    /// The rule that takes the entries; `nil` when none does, or when the first that matches excludes them.
    var rule: Int?
    /// The origin of the entries of one file and boot, if a rule takes them.
    var origin: Origin?
    var flaws: Entry.Flaws = []
    var hasSubsystem = false
}

/// The origins of the last decisions, so that entries with the same origin share one object, whatever file they are in.
/// It is a table of fixed size, in which a newer origin replaces an older one.
struct OriginCache {
    private static let slotCount = 1 << 10
    /// The size limit of an origin in this table, to bound memory.
    private static let maximumBytes = 1024

    private var slots = [Origin?](repeating: nil, count: slotCount)

    /// - Returns: `origin`, or an equal one from the table.
    mutating func shared(_ origin: Origin) -> Origin {
        guard origin.textBytes <= Self.maximumBytes else { return origin }
        let slot = origin.hashValue & (Self.slotCount - 1)
        if let known = slots[slot], known == origin { return known }
        slots[slot] = origin
        return origin
    }
}

/// The decisions that were made, by the numbers of the decisive fields' meanings. It is a table of fixed size, in which
/// a newer decision replaces an older one.
struct DecisionCache {
    private struct Slot {
        var key: [FieldMeanings.Number] = []
        var decision: Decision?
    }

    private static let slotBits = 11
    /// The most numbers of a decision that is remembered.
    private static let maximumKey = 64

    private var slots = [Slot](repeating: Slot(), count: 1 << slotBits)

    mutating func removeAll() {
        slots = [Slot](repeating: Slot(), count: 1 << Self.slotBits)
    }

    /// - Returns: `nil` also for a decision whose origin is of another boot or counter.
    @inline(__always)
    func decision(for key: [FieldMeanings.Number], bootID: ID128, seqnumID: ID128) -> Decision? {
        let slot = Self.slot(key, bootID, seqnumID)
        guard let decision = slots[slot].decision, slots[slot].key == key else { return nil }
        if let origin = decision.origin, origin.bootID != bootID || origin.seqnumID != seqnumID { return nil }
        return decision
    }

    mutating func insert(
        _ decision: Decision, for key: [FieldMeanings.Number], bootID: ID128, seqnumID: ID128
    ) {
        guard key.count <= Self.maximumKey else { return }
        // Has memory of its own, since each write to a shared array would allocate a larger one.
        let key = key.withUnsafeBufferPointer(Array.init)
        slots[Self.slot(key, bootID, seqnumID)] = Slot(key: key, decision: decision)
    }

    // Hosts whose files are read in parallel have different origins for the same fields.
    @inline(__always)
    private static func slot(_ key: [FieldMeanings.Number], _ bootID: ID128, _ seqnumID: ID128) -> Int {
        var hash = bootID.low ^ seqnumID.low
        for number in key { hash = (hash ^ UInt64(number.index)) &* 0x9E37_79B9_7F4A_7C15 }
        return Int(truncatingIfNeeded: hash >> (64 - slotBits))
    }
}
