/// A key of a `KeyTable`.
protocol TableKey: Equatable, Sendable {
    /// Two words or one, of which a hash is made.
    var words: (UInt64, UInt64) { get }
}

extension Int: TableKey {
    var words: (UInt64, UInt64) { (UInt64(bitPattern: Int64(self)), 0) }
}

/// Numbers distinct keys in the order in which they first occur. A dictionary of Swift takes two to five times as long
/// for keys that are a number or two.
struct KeyTable<Key: TableKey>: Sendable {
    private var keys: [Key] = []
    /// The numbers of keys plus 1, by hash; 0 marks a free slot. The count is a power of two, and at most half of the slots
    /// are used.
    private var slots = [UInt32](repeating: 0, count: 64)

    /// Returns the number of a key, adding it where it is new.
    @inline(__always)
    mutating func number(of key: Key) -> Int {
        let slot = slot(of: key)
        if slots[slot] > 0 { return Int(slots[slot]) - 1 }
        keys.append(key)
        slots[slot] = UInt32(keys.count)
        if keys.count * 2 > slots.count { grow() }
        return keys.count - 1
    }

    /// Returns the number of a key; `nil` when it is not in the table.
    func knownNumber(of key: Key) -> Int? {
        let number = Int(slots[slot(of: key)])
        return number == 0 ? nil : number - 1
    }

    /// Returns the slot of a key, or a free one.
    @inline(__always)
    private func slot(of key: Key) -> Int {
        let words = key.words
        let hash = ByteHash.mixed(words.0 ^ ByteHash.randomSeed ^ ByteHash.mixed(words.1))
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0, keys[Int(slots[slot]) - 1] != key { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, key) in keys.enumerated() { slots[slot(of: key)] = UInt32(number + 1) }
    }
}
