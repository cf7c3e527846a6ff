/// A key of a `PlaceTable`.
protocol PlaceKey: Equatable, Sendable {
    /// Two words or one, of which a hash is made.
    var words: (UInt64, UInt64) { get }
}

extension Int: PlaceKey {
    var words: (UInt64, UInt64) { (UInt64(bitPattern: Int64(self)), 0) }
}

/// The places of keys in an array. A dictionary of Swift takes three times as long for keys that are a number or two.
struct PlaceTable<Key: PlaceKey>: Sendable {
    private var keys: [Key] = []
    private var places: [Int32] = []
    /// The positions in `keys` plus 1, by hash; 0 marks a free slot. The count is a power of two, and at most half of the
    /// slots are used.
    private var slots: [UInt32] = []
    /// Senders choose the keys to some degree.
    private let seed = UInt64.random(in: .min ... .max)

    var count: Int { keys.count }

    subscript(key: Key) -> Int? {
        guard !slots.isEmpty else { return nil }
        let position = slots[slot(of: key)]
        return position == 0 ? nil : Int(places[Int(position) - 1])
    }

    /// Returns the place of a key.
    /// - Parameter new: the place for a key that has none yet.
    @inline(__always)
    mutating func place(of key: Key, orNew new: @autoclosure () -> Int) -> Int {
        if keys.count * 2 >= slots.count { grow() }
        let slot = slot(of: key)
        if slots[slot] > 0 { return Int(places[Int(slots[slot]) - 1]) }
        let place = new()
        keys.append(key)
        places.append(Int32(place))
        slots[slot] = UInt32(keys.count)
        return place
    }

    /// Returns the slot of a key, or a free one.
    @inline(__always)
    private func slot(of key: Key) -> Int {
        let words = key.words
        let hash = ByteHash.mixed(words.0 ^ seed ^ ByteHash.mixed(words.1))
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0, keys[Int(slots[slot]) - 1] != key { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: max(64, slots.count * 2))
        for (position, key) in keys.enumerated() { slots[slot(of: key)] = UInt32(position + 1) }
    }
}
