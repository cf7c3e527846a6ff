import Model

/// What the rules make of entries that have the same decisive fields.
struct Decision {
    /// The rule that takes them; `nil` when none does, or the first that fits is one that excludes.
    var rule: Int?
    /// Of an entry of one file and boot; when a rule takes it.
    var origin: Origin?
    var flaws: Entry.Flaws = []
    var hasSubsystem = false
}

/// Origins of the last decisions: entries that have the same one share an object, whatever files they are in. A table of
/// fixed size in which the newer one takes the place of the older one.
struct OriginCache {
    private static let slotCount = 1 << 10
    /// Larger ones would fill memory.
    private static let maximumBytes = 1024

    private var slots = [Origin?](repeating: nil, count: slotCount)

    /// - Returns: `origin`, or one that equals it.
    mutating func shared(_ origin: Origin) -> Origin {
        guard origin.textBytes <= Self.maximumBytes else { return origin }
        let slot = origin.hashValue & (Self.slotCount - 1)
        if let known = slots[slot], known == origin { return known }
        slots[slot] = origin
        return origin
    }
}

/// Decisions that were made, found by the numbers of the decisive fields' meanings. A table of fixed size in which the
/// newer one takes the place of the older one.
struct DecisionCache {
    private struct Slot {
        var key: [FieldMeanings.Number] = []
        var decision: Decision?
    }

    private static let slotCount = 1 << 11
    /// More of them in one entry are not worth remembering.
    private static let maximumKey = 64

    private var slots = [Slot](repeating: Slot(), count: slotCount)

    mutating func removeAll() {
        slots = [Slot](repeating: Slot(), count: Self.slotCount)
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
        // Memory of its own: whoever fills a shared array anew gets a larger one each time.
        let key = key.withUnsafeBufferPointer(Array.init)
        slots[Self.slot(key, bootID, seqnumID)] = Slot(key: key, decision: decision)
    }

    /// Hosts whose files are read side by side have origins of their own for the same fields.
    @inline(__always)
    private static func slot(_ key: [FieldMeanings.Number], _ bootID: ID128, _ seqnumID: ID128) -> Int {
        var hash = bootID.low ^ seqnumID.low
        for number in key { hash = (hash ^ UInt64(number.index)) &* 0x9E37_79B9_7F4A_7C15 }
        return Int(truncatingIfNeeded: hash >> 53)
    }
}
