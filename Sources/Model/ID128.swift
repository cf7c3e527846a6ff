/// A 128-bit id of systemd for a boot, a machine or a sequence number range: 32 hexadecimal digits as text.
/// - Source: sd-id128(3)
package struct ID128: Hashable, Sendable, Codable, LosslessStringConvertible {
    package var high: UInt64
    package var low: UInt64

    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    // Inlinable because it compares the ids of each journal entry in another module.
    @inlinable
    package static func == (one: ID128, other: ID128) -> Bool { one.high == other.high && one.low == other.low }

    package init?(_ text: String) {
        var text = text
        guard let id = text.withUTF8({ ID128(hexadecimal: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = id
    }

    /// - Parameter hexadecimal: exactly 32 ASCII hexadecimal digits.
    package init?(hexadecimal digits: UnsafeRawBufferPointer) {
        guard digits.count == Self.digits else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for place in 0..<16 {
            guard let one = hexadecimalValue(of: digits[place]), let other = hexadecimalValue(of: digits[16 + place])
            else { return nil }
            high = high << 4 | one
            low = low << 4 | other
        }
        self.init(high: high, low: low)
    }

    package var description: String {
        String(unsafeUninitializedCapacity: Self.digits) { digits in
            write(to: digits)
            return Self.digits
        }
    }

    package static let digits = 32

    /// - Parameter text: the buffer for its digits, as `description` has them.
    package func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        for place in 0..<16 {
            let shift = UInt64(60 - 4 * place)
            text[place] = hexadecimalDigit(high >> shift & 15)
            text[16 + place] = hexadecimalDigit(low >> shift & 15)
        }
    }
}

package func hexadecimalValue(of digit: UInt8) -> UInt64? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(digit - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(digit - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(digit - UInt8(ascii: "A") + 10)
    default: nil
    }
}

/// Returns the lowercase digit of a number below 16.
func hexadecimalDigit(_ value: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: value) + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
}

/// Returns the number in lowercase hexadecimal digits.
package func hexadecimalText(_ number: UInt64) -> String { String(number, radix: 16) }
