/// The values of a column as a block stores them. It is a class, since a structure with so many arrays is slow to
/// access.
final class PackedValues: Sendable {
    private enum Content {
        case constant
        case dictionary(codes: PackedIntegers)
        case integers(PackedIntegers)
        case plain
    }

    let count: Int
    private let content: Content
    /// The distinct texts, or those of all values.
    private let texts: PackedTexts

    /// The approximate number of bytes in memory.
    var memory: Int {
        let numbers =
            switch content {
            case .constant, .plain: 0
            case .dictionary(let numbers), .integers(let numbers): numbers.memory
            }
        return texts.memory + numbers + 128
    }

    /// Creates an empty column.
    init() {
        count = 0
        content = .plain
        texts = .none
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
            texts = .none
            return
        }
        guard let form = ValueColumn.Form(rawValue: try input.byte()) else {
            throw BlockDamage("an unknown form of values")
        }
        switch form {
        case .constant:
            content = .constant
            texts = PackedTexts(try input.hold(input.left))
        case .dictionary:
            let distinct = try input.count(atMost: ValueColumn.dictionaryCapacity)
            guard distinct > 0 else { throw Self.unknownCode }
            texts = try PackedTexts(distinct, from: &input)
            let codes = try IntegerColumn.read(count, from: &input)
            guard codes.isWithin(0..<Int64(distinct)) else { throw Self.unknownCode }
            content = .dictionary(codes: codes.prepared(for: count))
        case .integers:
            content = .integers(try IntegerColumn.read(count, from: &input))
            texts = .none
        case .plain:
            content = .plain
            texts = try PackedTexts(count, from: &input)
        }
    }

    private init(_ integers: PackedIntegers) {
        (count, content, texts) = (integers.count, .integers(integers), .none)
    }

    /// Returns the same values in the form that is the fastest for reading so many of them.
    func prepared(for reads: Int) -> PackedValues {
        guard case .integers(let integers) = content, integers.isSlow(for: reads) else { return self }
        return PackedValues(integers.prepared(for: reads))
    }

    private static let unknownCode = BlockDamage("a value that is not in the dictionary")

    /// The number of distinct texts; each `distinctNumber` is below it.
    var distinctCount: Int {
        switch content {
        case .constant: 1
        case .dictionary: texts.count
        case .integers, .plain: count
        }
    }

    /// Whether values were not compared, so that the number of each is its place.
    var numbersArePlaces: Bool {
        switch content {
        case .integers, .plain: true
        case .constant, .dictionary: false
        }
    }

    /// Returns the number of the distinct text that a value has.
    @inline(__always)
    func distinctNumber(_ index: Int) -> Int {
        switch content {
        case .constant: 0
        case .dictionary(let codes): Int(codes[index])
        case .integers, .plain: index
        }
    }

    /// The number of the distinct text for each value.
    var distinctNumbers: PackedIntegers {
        switch content {
        case .constant: PackedIntegers(count, first: 0, step: 0)
        case .dictionary(let codes): codes
        case .integers, .plain: PackedIntegers(count, first: 0, step: 1)
        }
    }

    /// Returns the result of `body` for each distinct text, in the order of their numbers.
    @inline(__always)
    func mapDistinct<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> [Result] {
        try (0..<distinctCount).map { try withDistinct($0, body) }
    }

    /// Returns a test whether a value has an empty text, for callers that test many values.
    func emptyTest() -> (Int) -> Bool {
        let isEmpty = mapDistinct { $0.isEmpty }
        return { [self] in isEmpty[distinctNumber($0)] }
    }

    /// - Parameter number: the number of a distinct text.
    @inline(__always)
    func withDistinct<Result>(
        _ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        if case .integers(let numbers) = content { return try numbers[number].withText(body) }
        return try texts.withText(number, body)
    }

    @inline(__always)
    func withValue<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withDistinct(distinctNumber(index), body)
    }

    /// Returns the numbers of the distinct texts that contain some bytes, ascending.
    func distinctNumbers(having literal: Literal) -> [Int] {
        if case .integers(let numbers) = content {
            guard literal.bytes.allSatisfy({ $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") < 10 }) else {
                return []
            }
            let numbers = numbers.unpacked
            return numbers.indices.filter { numbers[$0].withText { $0.has(literal) } }
        }
        return texts.numbers(having: literal)
    }

    /// Returns how many bytes a value has, at most.
    @inline(__always)
    func mostBytes(of index: Int) -> Int {
        if case .integers = content { return Int64.mostDigits }
        return texts.length(of: distinctNumber(index))
    }

    @inline(__always)
    func append(_ index: Int, to output: inout [UInt8]) {
        withValue(index) { output.append(contentsOf: $0) }
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
