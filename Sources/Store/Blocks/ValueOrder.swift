internal import Model

/// Compares values with one that a predicate has: `>= 25.4`, `< 300ms`, `> 10KB`, `< "2026-11-21"`.
struct ValueOrder {
    private let order: TextTest.Order
    private let text: [UInt8]
    private let number: Number?
    private let version: VersionOrder?
    private let measure: Measure?

    init(_ order: TextTest.Order, _ text: String) {
        self.order = order
        self.text = Array(text.utf8)
        (number, version) = self.text.withUnsafeBytes { (Number($0), VersionOrder($0)) }
        measure = number == nil ? Measure(text) : nil
    }

    /// - Parameters:
    ///   - value: the text of a string, or the JSON text of another value.
    ///   - isString: whether it is a string.
    func accepts(_ value: UnsafeRawBufferPointer, isString: Bool) -> Bool {
        let isNumber = value.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } ?? false
        guard isString || isNumber else { return false }
        if let measure {
            // A number without a unit is in seconds or bytes.
            let other =
                Number(value)?.double
                ?? (isString ? Measure(String(decoding: value, as: UTF8.self), of: measure.kind)?.amount : nil)
            return other.map { holds($0 < measure.amount, $0 == measure.amount) } ?? false
        }
        if isString || number == nil, let version, let other = VersionOrder(value) {
            return holds(other < version, other == version)
        }
        if let number { return Number(value).map { holds($0 < number, $0 == number) } ?? false }
        if version != nil { return false }
        guard isString else { return false }
        return holds(value.lexicographicallyPrecedes(self.text), value.elementsEqual(self.text))
    }

    /// The test of integers that are compared as numbers.
    /// - Parameter isString: whether they are the texts of strings. Among these, 25.4 is a version.
    func verdictOnIntegers(isString: Bool) -> ((Int64) -> Bool)? {
        guard let other = number?.integer else {
            guard let other = measure?.amount ?? (isString ? nil : number?.double) else { return nil }
            return { holds(Double($0) < other, Double($0) == other) }
        }
        return switch order {
        case .less: { $0 < other }
        case .atMost: { $0 <= other }
        case .greater: { $0 > other }
        case .atLeast: { $0 >= other }
        }
    }

    private func holds(_ isLess: Bool, _ isEqual: Bool) -> Bool {
        switch order {
        case .less: isLess
        case .atMost: isLess || isEqual
        case .greater: !isLess && !isEqual
        case .atLeast: !isLess
        }
    }

    /// A number, exact if it is an integer of 64 bits.
    private struct Number: Comparable {
        let integer: Int64?
        let double: Double

        init?(_ text: UnsafeRawBufferPointer) {
            if let integer = Int64(exactText: text) {
                (self.integer, double) = (integer, Double(integer))
            } else if let double = Double(fewDigits: text) {
                (integer, self.double) = (nil, double)
            } else {
                // Not inf, nan and 0x10, which Double reads.
                guard text.allSatisfy({ (0x30...0x39).contains($0) || "-+.eE".utf8.contains($0) }) else { return nil }
                let text = String(decoding: text, as: UTF8.self)
                guard let double = Double(text) else { return nil }
                (integer, self.double) = (Int64(text), double)
            }
        }

        static func < (one: Self, other: Self) -> Bool {
            if let one = one.integer, let other = other.integer { return one < other }
            return one.double < other.double
        }

        static func == (one: Self, other: Self) -> Bool {
            if let one = one.integer, let other = other.integer { return one == other }
            return one.double == other.double
        }
    }
}

extension Double {
    /// Reads a number with a point and at most 15 digits, as most are written: that many digits and the power of ten are exact, so
    /// that their quotient is rounded once.
    /// - Returns: `nil` for other texts.
    fileprivate init?(fewDigits text: UnsafeRawBufferPointer) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard digits.count <= 16, let point = digits.firstIndex(of: UInt8(ascii: ".")), point > digits.startIndex,
            point < digits.endIndex - 1
        else { return nil }
        var number: Int64 = 0
        for place in digits.indices where place != point {
            let digit = digits[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number * 10 + Int64(digit)
        }
        let magnitude = Double(number) / Self.powersOfTen[digits.endIndex - 1 - point]
        self = isNegative ? -magnitude : magnitude
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
