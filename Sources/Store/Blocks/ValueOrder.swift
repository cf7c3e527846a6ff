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
        number = Number(text)
        version = VersionOrder(text)
        measure = number == nil ? Measure(text) : nil
    }

    /// - Parameters:
    ///   - value: the text of a string, or the JSON text of another value.
    ///   - isString: whether it is a string.
    func accepts(_ value: UnsafeRawBufferPointer, isString: Bool) -> Bool {
        let isNumber = value.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } ?? false
        guard isString || isNumber else { return false }
        let text = String(decoding: value, as: UTF8.self)
        if let measure {
            // A number without a unit is in seconds or bytes.
            let other = Number(text)?.double ?? (isString ? Measure(text, of: measure.kind)?.amount : nil)
            return other.map { holds($0 < measure.amount, $0 == measure.amount) } ?? false
        }
        if isString || number == nil, let version, let other = VersionOrder(text) {
            return holds(other < version, other == version)
        }
        if let number { return Number(text).map { holds($0 < number, $0 == number) } ?? false }
        if version != nil { return false }
        guard isString else { return false }
        return holds(value.lexicographicallyPrecedes(self.text), value.elementsEqual(self.text))
    }

    /// The test of integers, if the other is one.
    var verdictOnIntegers: ((Int64) -> Bool)? {
        guard let other = number?.integer else { return nil }
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

        init?(_ text: String) {
            // Not inf, nan and 0x10, which Double reads.
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "-+.eE".utf8.contains($0) }),
                let double = Double(text)
            else { return nil }
            (integer, self.double) = (Int64(text), double)
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
