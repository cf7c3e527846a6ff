internal import Model

/// The values of a column as a block stores them. It is a class, since a structure with so many arrays is slow to
/// access.
final class PackedValues: Sendable {
    private enum Content {
        case constant
        /// A byte for each value.
        case dictionary(codes: HeldBytes)
        /// Two bytes for each value.
        case wideDictionary(codes: HeldBytes)
        case integers(PackedIntegers)
        case plain
    }

    let count: Int
    private let content: Content
    /// The bytes of the distinct values, or of all values.
    private let bytes: HeldBytes
    /// The position in `bytes` at which each of them ends.
    private let ends: [UInt32]

    /// The approximate number of bytes in memory.
    var memory: Int {
        let numbers =
            switch content {
            case .constant, .plain: 0
            case .dictionary(let codes), .wideDictionary(let codes): codes.count
            case .integers(let numbers): numbers.memory
            }
        // The array of the bytes also has the lengths that the ends were computed from, of one byte or two.
        return bytes.count + ends.count * 6 + numbers + 128
    }

    /// Creates an empty column.
    init() {
        count = 0
        content = .plain
        (bytes, ends) = (.none, [])
    }

    /// All values as integers, where the column is stored as such.
    var integers: PackedIntegers? {
        if case .integers(let integers) = content { integers } else { nil }
    }

    /// - Parameter count: the number of values.
    init(_ count: Int, from input: inout ByteReader) throws(BlockDamage) {
        self.count = count
        guard count > 0 else {
            content = .plain
            (bytes, ends) = (.none, [])
            return
        }
        guard let form = ValueColumn.Form(rawValue: try input.byte()) else {
            throw BlockDamage("an unknown form of values")
        }
        switch form {
        case .constant:
            content = .constant
            bytes = try input.hold(input.left)
            ends = [UInt32(bytes.count)]
        case .dictionary:
            let distinct = Int(try input.byte()) + 1
            (bytes, ends) = try Self.plain(distinct, from: &input)
            let codes = try input.hold(count)
            guard codes.most(of: UInt8.self) < distinct else { throw Self.unknownCode }
            content = .dictionary(codes: codes)
        case .wideDictionary:
            let distinct = try input.count(atMost: ValueColumn.wideDictionaryCapacity)
            (bytes, ends) = try Self.plain(distinct, from: &input)
            let codes = try input.hold(count * 2)
            guard codes.most(of: UInt16.self) < distinct else { throw Self.unknownCode }
            content = .wideDictionary(codes: codes)
        case .integers:
            content = .integers(try IntegerColumn.read(count, from: &input))
            (bytes, ends) = (.none, [])
        case .plain:
            content = .plain
            (bytes, ends) = try Self.plain(count, from: &input)
        }
    }

    private static let unknownCode = BlockDamage("a value that is not in the dictionary")

    @inline(__always)
    private static func wideCode(_ codes: HeldBytes, _ index: Int) -> Int {
        Int(UInt16(truncatingIfNeeded: codes.word(at: index * 2)))
    }

    private static func plain(
        _ count: Int, from input: inout ByteReader
    ) throws(BlockDamage) -> (bytes: HeldBytes, ends: [UInt32]) {
        let lengths = try IntegerColumn.read(count, from: &input)
        let most = min(input.left, Int(UInt32.max))
        let tooLong = BlockDamage("a value is too long")
        if lengths.isConstant {
            guard (0...Int64(most / count)).contains(lengths[0]) else { throw tooLong }
            let length = Int(lengths[0])
            return (try input.hold(count * length), (1...count).map { UInt32(truncatingIfNeeded: $0 &* length) })
        }
        var (ends, end) = ([UInt32](), 0)
        ends.reserveCapacity(count)
        for index in 0..<count {
            let length = lengths[index]
            guard length >= 0, length <= Int64(most - end) else { throw tooLong }
            end += Int(length)
            ends.append(UInt32(truncatingIfNeeded: end))
        }
        return (try input.hold(end), ends)
    }

    /// The number of distinct texts; each `distinctNumber` is below it.
    var distinctCount: Int {
        switch content {
        case .constant: 1
        case .dictionary, .wideDictionary: ends.count
        case .integers, .plain: count
        }
    }

    /// Whether values were not compared, so that the number of each is its place.
    var numbersArePlaces: Bool {
        switch content {
        case .integers, .plain: true
        case .constant, .dictionary, .wideDictionary: false
        }
    }

    /// Returns the number of the distinct text that a value has.
    @inline(__always)
    func distinctNumber(_ index: Int) -> Int {
        switch content {
        case .constant: 0
        case .dictionary(let codes): Int(codes[index])
        case .wideDictionary(let codes): Self.wideCode(codes, index)
        case .integers, .plain: index
        }
    }

    /// The number of the distinct text for each value.
    var distinctNumbers: PackedIntegers {
        switch content {
        case .constant: PackedIntegers(count, first: 0, step: 0)
        case .dictionary(let codes): PackedIntegers(count, least: 0, width: 1, codes)
        case .wideDictionary(let codes): PackedIntegers(count, least: 0, width: 2, codes)
        case .integers, .plain: PackedIntegers(count, first: 0, step: 1)
        }
    }

    func isEmpty(_ index: Int) -> Bool { withDistinct(distinctNumber(index)) { $0.isEmpty } }

    /// - Parameter number: the number of a distinct text.
    @inline(__always)
    func withDistinct<Result>(
        _ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        if case .integers(let numbers) = content { return try numbers[number].withText(body) }
        return try bytes.withUnsafeBytes {
            try body(
                UnsafeRawBufferPointer(rebasing: $0[(number == 0 ? 0 : Int(ends[number - 1]))..<Int(ends[number])]))
        }
    }

    /// Returns the numbers of the distinct texts that contain some bytes, ascending.
    func distinctNumbers(having literal: Literal) -> [Int] {
        if case .integers(let numbers) = content {
            guard literal.bytes.allSatisfy({ $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }) else {
                return []
            }
            return (0..<count).filter { numbers[$0].withText { $0.has(literal) } }
        }
        return bytes.withUnsafeBytes { bytes in
            var (found, start, number) = ([Int](), 0, 0)
            while let place = literal.firstPlace(in: bytes, from: start), number < ends.count {
                number = firstValue(endingBehind: place, from: number)
                guard number < ends.count else { break }
                let end = Int(ends[number])
                if place + literal.count <= end {
                    found.append(number)
                    start = end
                    number += 1
                } else {
                    start = place + 1
                }
            }
            return found
        }
    }

    private func firstValue(endingBehind place: Int, from first: Int) -> Int {
        (first..<ends.count).endOfThose { ends[$0] <= place }
    }

    /// Returns how many bytes a value has, at most.
    @inline(__always)
    func mostBytes(of index: Int) -> Int {
        if case .integers = content { return Int64.mostDigits }
        return withDistinct(distinctNumber(index)) { $0.count }
    }

    @inline(__always)
    func append(_ index: Int, to output: inout [UInt8]) {
        withDistinct(distinctNumber(index)) { output.append(contentsOf: $0) }
    }
}

extension Int64 {
    /// How many characters the text of a number has, at most.
    fileprivate static var mostDigits: Int { 20 }

    /// Calls `body` with the decimal digits.
    @inline(__always)
    func withText<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: Self.mostDigits, alignment: 1) { buffer in
            var place = Self.mostDigits
            var rest = magnitude
            repeat {
                place -= 1
                buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if self < 0 {
                place -= 1
                buffer[place] = UInt8(ascii: "-")
            }
            return try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[place...]))
        }
    }
}
