/// The size of an integer from its text: exact, however long it is.
enum IntegerText {
    enum Size { case fits, tooSmall, tooLarge }

    /// - Parameter text: a JSON number without fraction and exponent.
    @inline(__always)
    static func size(of text: UnsafeRawBufferPointer, in range: ClosedRange<Int64>) -> Size {
        let isNegative = text.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        // JSON allows no leading zeros: 19 digits hold every Int64, and more digits are more.
        guard text.count - start <= 19 else { return isNegative ? .tooSmall : .tooLarge }
        var magnitude: UInt64 = 0
        for index in start..<text.count { magnitude = magnitude &* 10 &+ UInt64(text[index] &- UInt8(ascii: "0")) }
        if isNegative { return magnitude <= range.lowerBound.magnitude ? .fits : .tooSmall }
        return magnitude <= range.upperBound.magnitude ? .fits : .tooLarge
    }
}
