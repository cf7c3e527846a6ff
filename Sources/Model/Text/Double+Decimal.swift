extension Double {
    /// Reads a decimal number, with a point and an exponent or without. It reads no `inf`, `nan` and `0x10`, as `Double(_:)` does.
    /// - Parameter text: ASCII.
    package init?(decimal text: UnsafeRawBufferPointer) {
        if let number = Double(fewDigits: text) {
            self = number
            return
        }
        guard text.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 || "-+.eE".utf8.contains($0) }) else { return nil }
        self.init(String(decoding: text, as: UTF8.self))
    }

    /// Reads at most 15 digits with a point or without, as most numbers are written: that many digits and the power of ten are
    /// exact, so that their quotient is rounded once.
    /// - Returns: `nil` for other texts.
    private init?(fewDigits text: UnsafeRawBufferPointer) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard digits.count <= 16, let first = digits.first, first != UInt8(ascii: "."),
            digits.last != UInt8(ascii: ".")
        else { return nil }
        var (number, count, decimals) = (Int64(0), 0, 0)
        var hasPoint = false
        for byte in digits {
            if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int64(digit)
            count += 1
            decimals += hasPoint ? 1 : 0
        }
        guard count <= 15 else { return nil }
        let magnitude = Double(number) / Self.powersOfTen[decimals]
        self = isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
