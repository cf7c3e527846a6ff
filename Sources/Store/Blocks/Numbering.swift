/// What repeats within a block, each once, in the order in which it comes.
struct Numbering<Object: AnyObject & Hashable> {
    private(set) var values: [Object] = []
    private var numbers: [Hashed<Object>: Int] = [:]
    /// Most events share their objects with others: those are known without a look at what they have. By their address, the
    /// later one in the place of the earlier one.
    private var shared: [(object: Object, number: Int)?] = []
    private static var slotCount: Int { 512 }
    private var last: (object: Object, number: Int)?

    @inline(__always)
    mutating func number(of value: Object) -> Int {
        if let last, last.object === value { return last.number }
        if shared.isEmpty { shared = Array(repeating: nil, count: Self.slotCount) }
        let slot = Self.slot(of: value)
        if let known = shared[slot], known.object === value {
            last = known
            return known.number
        }
        let found = (value, newNumber(of: value))
        shared[slot] = found
        last = found
        return found.1
    }

    @inline(__always)
    private static func slot(of value: Object) -> Int {
        let address = UInt64(UInt(bitPattern: ObjectIdentifier(value)))
        return Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 55)
    }

    private mutating func newNumber(of value: Object) -> Int {
        let hashed = Hashed(value)
        let number = numbers[hashed] ?? values.count
        if number == values.count {
            numbers[hashed] = number
            values.append(value)
        }
        return number
    }
}

extension Numbering: Sendable where Object: Sendable {}
