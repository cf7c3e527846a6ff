/// Numbers that look random and are always the same for the same event: SplitMix64.
struct EventNoise: RandomNumberGenerator {
    private var state: UInt64

    init(_ event: Int) {
        state = UInt64(event)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// From 0, below `count`.
    mutating func number(below count: Int) -> Int { Int(next() % UInt64(count)) }

    /// Whether this is one of `count` cases.
    mutating func isOne(in count: Int) -> Bool { number(below: count) == 0 }
}
