internal import Model

/// Texts of a column as a block stores them: the distinct ones, or those of all values.
struct PackedTexts: Sendable {
    let count: Int
    /// The texts, unless they are `digits`.
    private let bytes: HeldBytes
    /// The position in `bytes` at which each of them ends.
    private let ends: [UInt32]
    private let digits: DigitTexts?

    static let none = PackedTexts(.none, [])

    private init(_ bytes: HeldBytes, _ ends: [UInt32]) {
        (count, digits) = (ends.count, nil)
        (self.bytes, self.ends) = (bytes, ends)
    }

    private init(_ count: Int, _ digits: DigitTexts) {
        (self.count, self.digits) = (count, digits)
        (bytes, ends) = (.none, [])
    }

    /// Creates a single text.
    init(_ text: HeldBytes) { self.init(text, [UInt32(text.count)]) }

    /// - Parameter count: the number of texts, more than 0.
    init(_ count: Int, from input: inout ByteReader) throws(BlockDamage) {
        guard let form = ValueColumn.TextForm(rawValue: try input.byte()) else {
            throw BlockDamage("an unknown form of texts")
        }
        switch form {
        case .plain:
            let ends = try Self.ends(count, from: &input)
            self.init(try input.hold(Int(ends[count - 1])), ends)
        case .digits: self.init(count, try DigitTexts(count, from: &input))
        }
    }

    private static func ends(_ count: Int, from input: inout ByteReader) throws(BlockDamage) -> [UInt32] {
        let lengths = try IntegerColumn.read(count, from: &input)
        let most = min(input.left, Int(UInt32.max))
        let tooLong = BlockDamage("a value is too long")
        guard lengths.isWithin(0..<Int64(most) + 1) else { throw tooLong }
        // The sum of so many numbers of 32 bits does not overflow.
        var end: Int64 = 0
        let ends = [UInt32](unsafeUninitializedCapacity: count) { ends, filled in
            if lengths.isConstant {
                for index in 0..<count { ends[index] = UInt32(truncatingIfNeeded: Int64(index + 1) &* lengths[0]) }
                end = Int64(count) * lengths[0]
            } else {
                for (index, length) in lengths.unpacked.enumerated() {
                    end &+= length
                    ends[index] = UInt32(truncatingIfNeeded: end)
                }
            }
            filled = count
        }
        guard end <= Int64(most) else { throw tooLong }
        return ends
    }

    /// The approximate number of bytes in memory.
    var memory: Int {
        // The array of the bytes also has the lengths that the ends were computed from, of one byte or two.
        bytes.count + ends.count * 6 + (digits?.memory ?? 0)
    }

    @inline(__always)
    func withText<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        if let digits { return try digits.withText(number, body) }
        return try bytes.withUnsafeBytes {
            try body(
                UnsafeRawBufferPointer(rebasing: $0[(number == 0 ? 0 : Int(ends[number - 1]))..<Int(ends[number])]))
        }
    }

    /// Returns how many bytes a text has.
    @inline(__always)
    func length(of number: Int) -> Int {
        if let digits { return digits.length }
        return Int(ends[number]) - (number == 0 ? 0 : Int(ends[number - 1]))
    }

    /// Returns the numbers of the texts that contain some bytes, ascending.
    func numbers(having literal: Literal) -> [Int] {
        if let digits { return digits.numbers(having: literal, among: count) }
        return bytes.withUnsafeBytes { bytes in
            var (found, start, number) = ([Int](), 0, 0)
            while let place = literal.firstPlace(in: bytes, from: start), number < ends.count {
                number = (number..<ends.count).endOfThose { ends[$0] <= place }
                guard number < ends.count else { break }
                start = Int(ends[number])
                if place + literal.count <= start { found.append(number) }
                number += 1
            }
            return found
        }
    }
}
