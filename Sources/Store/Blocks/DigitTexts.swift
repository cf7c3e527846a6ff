/// Texts of one length that differ in nothing but digits, such as UUIDs, hashes and times. A block stores what they have in
/// common once, and the digits as numbers.
final class DigitTexts: Sendable {
    enum Digits: UInt8 {
        case decimal, hexadecimal, upperHexadecimal

        /// The kinds that each byte belongs to, a bit for each: that of its raw value.
        fileprivate static let kinds: [UInt8] = (UInt8.min ... .max).map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): 0b111
            case UInt8(ascii: "a")...UInt8(ascii: "f"): 0b010
            case UInt8(ascii: "A")...UInt8(ascii: "F"): 0b100
            default: 0
            }
        }

        /// How many digits a number has, at most.
        fileprivate var perNumber: Int { self == .decimal ? 18 : 16 }

        /// Whether numbers have at most so many digits.
        fileprivate func haveNumbers(_ numbers: PackedIntegers, of count: Int) -> Bool {
            if self == .decimal { return numbers.isWithin(0..<(0..<count).reduce(1) { power, _ in power * 10 }) }
            return count == perNumber || numbers.isWithin(0..<1 << Int64(count * 4))
        }

        fileprivate func contains(_ byte: UInt8) -> Bool { Self.kinds[Int(byte)] >> rawValue & 1 == 1 }

        /// - Parameter byte: a digit.
        @inline(__always)
        fileprivate func value(of byte: UInt8) -> UInt8 { byte & 15 + (byte >> 6) * 9 }
    }

    /// Digits that are one number.
    private struct Group: Sendable {
        let places: Range<Int>
        let numbers: PackedIntegers
    }

    static let mostBytes = 256
    /// Stands for a digit in the common text. Texts that have it themselves are stored in another way.
    private static let digit: UInt8 = 0

    let memory: Int
    private let digits: Digits
    private let common: [UInt8]
    /// Where the digits are in the text, ascending.
    private let places: [Int]
    private let groups: [Group]

    var length: Int { common.count }

    /// - Parameter count: the number of texts, more than 0.
    init(_ count: Int, from input: inout ByteReader) throws(BlockDamage) {
        guard let digits = Digits(rawValue: try input.byte()) else { throw BlockDamage("unknown digits") }
        self.digits = digits
        let common = Array(try input.take(try input.count(atMost: Self.mostBytes)))
        self.common = common
        places = common.indices.filter { common[$0] == Self.digit }
        var groups: [Group] = []
        for range in Self.groups(of: places.count, digits) {
            let numbers = try IntegerColumn.read(count, from: &input).prepared(for: count)
            guard digits.haveNumbers(numbers, of: range.count) else { throw BlockDamage("a number has more digits") }
            groups.append(Group(places: range, numbers: numbers))
        }
        self.groups = groups
        memory = groups.reduce(common.count * 9 + 128) { $0 + $1.numbers.memory }
    }

    private static func groups(of count: Int, _ digits: Digits) -> [Range<Int>] {
        stride(from: 0, to: count, by: digits.perNumber).map { $0..<min($0 + digits.perNumber, count) }
    }

    @inline(__always)
    func withText<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { text in
            write(number, to: text)
            return try body(UnsafeRawBufferPointer(text))
        }
    }

    private func write(_ number: Int, to text: UnsafeMutableRawBufferPointer) {
        text.copyBytes(from: common)
        let letter = digits == .hexadecimal ? UInt8(ascii: "a") : UInt8(ascii: "A")
        places.withUnsafeBufferPointer { places in
            for group in groups {
                var rest = UInt64(bitPattern: group.numbers[number])
                for index in group.places.reversed() {
                    if digits == .decimal {
                        text[places[index]] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                        rest /= 10
                    } else {
                        let value = UInt8(truncatingIfNeeded: rest & 15)
                        text[places[index]] = value < 10 ? UInt8(ascii: "0") + value : letter + value - 10
                        rest >>= 4
                    }
                }
            }
        }
    }

    /// Returns the numbers of the texts that contain some bytes, ascending.
    /// - Parameter count: the number of texts.
    func numbers(having literal: Literal, among count: Int) -> [Int] {
        guard literal.count <= length else { return [] }
        let starts = (0...length - literal.count).filter { isPossible(literal, at: $0) }
        guard !starts.isEmpty else { return [] }
        return candidates(literal, at: starts, among: count).filter { withText($0) { $0.has(literal) } }
    }

    private func isPossible(_ literal: Literal, at start: Int) -> Bool {
        literal.bytes.indices.allSatisfy { index in
            let byte = common[start + index]
            return byte == Self.digit
                ? literal.digit(at: index, digits) != nil : literal.has(CollectionOfOne(byte), at: index..<index + 1)
        }
    }

    /// Leaves out the texts in which another number stands where the literal has all its digits.
    private func candidates(_ literal: Literal, at starts: [Int], among count: Int) -> [Int] {
        var candidates = Array(0..<count)
        guard starts.count == 1, let start = starts.first else { return candidates }
        for group in groups {
            let indices = group.places.map { places[$0] - start }
            guard let first = indices.first, let last = indices.last, first >= 0, last < literal.count else { continue }
            let wanted = Self.number(indices.compactMap { literal.digit(at: $0, self.digits) }, digits)
            group.numbers.select(&candidates) { $0 == wanted }
        }
        return candidates
    }

    @inline(__always)
    private static func number(_ values: some Sequence<UInt8>, _ digits: Digits) -> Int64 {
        let base: UInt64 = digits == .decimal ? 10 : 16
        return Int64(bitPattern: values.reduce(0) { $0 &* base &+ UInt64($1) })
    }
}

extension Literal {
    /// Returns the value of one of the bytes; `nil` if it is not a digit, nor the lower case of one where case makes no difference.
    fileprivate func digit(at index: Int, _ digits: DigitTexts.Digits) -> UInt8? {
        let byte = bytes[index]
        if digits.contains(byte) { return digits.value(of: byte) }
        let upper = byte & ~0x20
        return ignoresCase && byte &- UInt8(ascii: "a") < 26 && digits.contains(upper) ? digits.value(of: upper) : nil
    }
}

// MARK: packing

extension DigitTexts {
    /// Appends texts of one length that differ in digits only. `init(_:from:)` reads them.
    /// - Returns: Whether the texts are such; if not, nothing is appended.
    static func append(_ column: ValueColumn, to output: inout ByteWriter) -> Bool {
        guard let length = column.commonLength, (1...mostBytes).contains(length),
            let (common, digits) = common(of: column, length)
        else { return false }
        output.append(digits.rawValue)
        output.append(number: length)
        output.append(common)
        let places = common.indices.filter { common[$0] == digit }
        column.bytes.withUnsafeBytes { bytes in
            for group in groups(of: places.count, digits) {
                let places = places[group]
                let numbers = stride(from: 0, to: bytes.count, by: length).map { start in
                    number(places.lazy.map { digits.value(of: bytes[start + $0]) }, digits)
                }
                IntegerColumn.append(numbers, to: &output)
            }
        }
        return true
    }

    /// Returns what texts of one length have in common, and what the other bytes are; `nil` if not all of these are digits.
    private static func common(of column: ValueColumn, _ length: Int) -> (common: [UInt8], digits: Digits)? {
        var common = Array(column.bytes.prefix(length))
        guard !common.contains(digit) else { return nil }
        var differences = [UInt8](repeating: 0, count: length)
        // The kinds of digits that all bytes at a place are, a bit for each.
        var kinds = [UInt8](repeating: .max, count: length)
        column.bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: length) {
                for place in 0..<length {
                    let byte = bytes[start + place]
                    differences[place] |= byte ^ bytes[place]
                    kinds[place] &= Digits.kinds[Int(byte)]
                }
            }
        }
        let places = common.indices.filter { differences[$0] != 0 }
        let kind = places.reduce(UInt8.max) { $0 & kinds[$1] }.trailingZeroBitCount
        guard let digits = Digits(rawValue: UInt8(kind)) else { return nil }
        for place in places { common[place] = digit }
        return (common, digits)
    }
}

extension ValueColumn {
    /// The length of all values; `nil` if they differ in length, or there is none.
    fileprivate var commonLength: Int? {
        guard let length = ends.first, bytes.count == Int(length) * count else { return nil }
        var end: UInt32 = 0
        for other in ends {
            end &+= length
            guard other == end else { return nil }
        }
        return Int(length)
    }
}
