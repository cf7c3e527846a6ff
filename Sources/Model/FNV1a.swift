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

    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
