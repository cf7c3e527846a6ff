/// What repeats within a block, each once, in the order in which it comes.
struct Numbering<Object: AnyObject & Hashable> {
    private(set) var values: [Object] = []
    /// Of each value: what is compared first, and needs not be made again when there are more of them.
    private var hashes: [Int] = []
    /// Where its hash leads to, each value's number, from 1; 0 is free.
    private var slots = [UInt32](repeating: 0, count: 64)
    /// Most events share their objects with others: those are known without a look at what they have. Each is kept, as
    /// another one could have its address otherwise.
    private var shared: [ObjectIdentifier: (object: Object, number: Int)] = [:]
    private var last: (object: Object, number: Int)?

    @inline(__always)
    mutating func number(of value: Object) -> Int {
        if let last, last.object === value { return last.number }
        let found = shared[ObjectIdentifier(value)] ?? (value, newNumber(of: value))
        last = found
        return found.number
    }

    private mutating func newNumber(of value: Object) -> Int {
        let hash = value.hashValue
        var slot = hash & (slots.count - 1)
        var number = values.count
        while slots[slot] != 0 {
            let other = Int(slots[slot]) - 1
            if hashes[other] == hash, values[other] == value {
                number = other
                break
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        if number == values.count {
            values.append(value)
            hashes.append(hash)
            slots[slot] = UInt32(values.count)
            if 2 * values.count > slots.count { grow() }
        }
        shared[ObjectIdentifier(value)] = (value, number)
        return number
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: 2 * slots.count)
        for (number, hash) in hashes.enumerated() {
            var slot = hash & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }
}

extension Numbering: Sendable where Object: Sendable {}
