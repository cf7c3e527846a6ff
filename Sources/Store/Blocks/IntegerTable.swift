/// Numbers distinct integers in the order in which they first occur. A dictionary of Swift takes two to five times as long.
struct IntegerTable: Sendable {
    private var integers: [Int] = []
    /// The numbers of integers plus 1, by hash; 0 marks a free slot. The count is a power of two, and at most half of the slots
    /// are used.
    private var slots = [UInt32](repeating: 0, count: 64)

    /// Returns the number of an integer, adding it where it is new.
    @inline(__always)
    mutating func number(of integer: Int) -> Int {
        let slot = slot(of: integer)
        if slots[slot] > 0 { return Int(slots[slot]) - 1 }
        integers.append(integer)
        slots[slot] = UInt32(integers.count)
        if integers.count * 2 > slots.count { grow() }
        return integers.count - 1
    }

    /// Returns the slot of an integer, or a free one.
    @inline(__always)
    private func slot(of integer: Int) -> Int {
        let hash = ByteHash.mixed(UInt64(bitPattern: Int64(integer)) ^ ByteHash.randomSeed)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0, integers[Int(slots[slot]) - 1] != integer { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, integer) in integers.enumerated() { slots[slot(of: integer)] = UInt32(number + 1) }
    }
}
