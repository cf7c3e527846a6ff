internal import Model

/// Compares values with one that a predicate has: `>= 25.4`, `< 300ms`, `> 10KB`, `< "2026-11-21"`.
struct ValueOrder {
    private let order: TextTest.Order
    private let text: [UInt8]
    private let number: Number?
    private let version: Version?
    /// Of a length of time, in seconds; of a size, in bytes.
    private let measure: Double?

    init(_ order: TextTest.Order, _ text: String) {
        self.order = order
        self.text = Array(text.utf8)
        number = Number(text)
        version = Version(text)
        measure = number == nil ? Self.measure(text) : nil
    }

    /// - Parameters:
    ///   - value: the text of a string, or the JSON text of another value.
    ///   - isString: whether it is a string.
    func accepts(_ value: UnsafeRawBufferPointer, isString: Bool) -> Bool {
        let isNumber = value.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } ?? false
        guard isString || isNumber else { return false }
        if let measure {
            let text = String(decoding: value, as: UTF8.self)
            let other = isString ? Self.measure(text) : Number(text)?.double
            return other.map { holds($0 < measure, $0 == measure) } ?? false
        }
        if !isString, let number {
            return Number(String(decoding: value, as: UTF8.self)).map { holds($0 < number, $0 == number) } ?? false
        }
        if let version {
            return Version(String(decoding: value, as: UTF8.self)).map { holds($0 < version, $0 == version) } ?? false
        }
        guard isString else { return false }
        return holds(value.lexicographicallyPrecedes(text), value.elementsEqual(text))
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

    /// A number with a unit.
    private static func measure(_ text: String) -> Double? {
        guard text.first.map({ ("0"..."9").contains($0) }) ?? false, text.last?.isLetter ?? false else { return nil }
        if let span = TimeSpan.microseconds(text) { return Double(span) / 1e6 }
        let digits = text.prefix { ("0"..."9").contains($0) || $0 == "." }
        guard let number = Double(digits), let size = sizes[String(text.dropFirst(digits.count))] else { return nil }
        return number * size
    }

    private static let sizes: [String: Double] = [
        "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 0x1p10, "MiB": 0x1p20, "GiB": 0x1p30,
        "TiB": 0x1p40, "K": 0x1p10, "G": 0x1p30, "T": 0x1p40,
    ]

    /// A number, exact if it is an integer of 64 bits.
    private struct Number: Comparable {
        let integer: Int64?
        let double: Double

        init?(_ text: String) {
            guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
                let double = Double(text), double.isFinite
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

    /// Numbers separated by dots, and perhaps a suffix: `25.4`, `v1.2.3-beta`. A version with a suffix is before that without.
    private struct Version: Comparable {
        private var parts: [UInt64] = []
        private let suffix: String

        private static let mostParts = 8

        init?(_ text: String) {
            var rest = text.first == "v" ? text.dropFirst() : text[...]
            while true {
                let digits = rest.prefix { ("0"..."9").contains($0) }
                guard let part = UInt64(digits), parts.count < Self.mostParts else { return nil }
                parts.append(part)
                rest = rest.dropFirst(digits.count)
                guard rest.first == "." else { break }
                rest = rest.dropFirst()
            }
            guard rest.first.map({ "-+_ ".contains($0) }) ?? true else { return nil }
            // 2026-11-21 is a day.
            guard parts.count > 1 || rest.isEmpty else { return nil }
            while parts.count > 1, parts.last == 0 { parts.removeLast() }
            suffix = String(rest)
        }

        static func < (one: Self, other: Self) -> Bool {
            if one.parts != other.parts { return one.parts.lexicographicallyPrecedes(other.parts) }
            if one.suffix.isEmpty || other.suffix.isEmpty { return !one.suffix.isEmpty && other.suffix.isEmpty }
            return one.suffix < other.suffix
        }
    }
}
