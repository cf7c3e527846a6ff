/// A small generator whose numbers follow from its seed.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Letters that do not compress well.
    package mutating func letters(_ count: Int) -> [UInt8] {
        var (letters, bits) = ([UInt8](), UInt64(0))
        letters.reserveCapacity(count)
        for index in 0..<count {
            if index % 10 == 0 { bits = next() }
            letters.append(UInt8(ascii: "_") + UInt8(bits & 31))
            bits >>= 6
        }
        return letters
    }

    package mutating func text(of characters: String, length: ClosedRange<Int>) -> String {
        String((0..<Int.random(in: length, using: &self)).compactMap { _ in characters.randomElement(using: &self) })
    }
}
