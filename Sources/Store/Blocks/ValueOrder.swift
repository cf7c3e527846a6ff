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
        let isNumber = value.first.map { $0 == UInt8(ascii: "-") || $0.isDigit } ?? false
        guard isString || isNumber else { return false }
        if let measure {
            // A number without a unit is in seconds or bytes.
            let other =
                Number(value)?.double ?? (isString ? Measure(value, of: measure.kind)?.amount : nil)
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
            } else if let double = Double(decimal: text) {
                let isInteger = !text.contains(UInt8(ascii: "."))
                (integer, self.double) = (isInteger ? Int64(String(decoding: text, as: UTF8.self)) : nil, double)
            } else {
                return nil
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
