/// A hash that distinguishes texts, the same on every machine. It does not resist forgery.
/// - Source: Fowler, Noll, Vo: FNV-1a, 64 bits
package struct FNV1a: Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// 16 hexadecimal digits.
    package var digits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package init(_ bytes: [UInt8] = []) { add(bytes) }

    /// Adds a part with its length, so that "ab", "c" differs from "a", "bc".
    package mutating func add(part: [UInt8]) {
        add(stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: part.count >> $0) })
        add(part)
    }

    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
