/// Different hashes.
struct HashSet {
    /// Against senders who make up values that meet in one place.
    private static let seed = UInt64.random(in: .min ... .max)

    private(set) var hashes: [UInt64] = []
    /// Numbers of hashes since the last `begin`, from 1; 0 is free.
    private var slots = [UInt32](repeating: 0, count: 64)
    private var first = 0

    /// From here on only hashes are told apart that come from here on: what is looked through stays small.
    mutating func begin() {
        first = hashes.count
        slots = [UInt32](repeating: 0, count: 64)
    }

    @inline(__always)
    mutating func insert(_ hash: UInt64) {
        var slot = Int(truncatingIfNeeded: ByteHash.mixed(hash ^ Self.seed)) & (slots.count - 1)
        while slots[slot] != 0 {
            if hashes[first + Int(slots[slot]) - 1] == hash { return }
            slot = (slot + 1) & (slots.count - 1)
        }
        hashes.append(hash)
        slots[slot] = UInt32(hashes.count - first)
        if (hashes.count - first) * 2 > slots.count { grow() }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, hash) in hashes[first...].enumerated() {
            var slot = Int(truncatingIfNeeded: ByteHash.mixed(hash ^ Self.seed)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }
}
