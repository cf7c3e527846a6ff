/// The values of a column, concatenated, before they are packed.
struct ValueColumn {
    private(set) var bytes: [UInt8] = []
    /// The position in `bytes` at which each value ends. 32 bits suffice, since a block is smaller than 4 GiB.
    private(set) var ends: [UInt32] = []

    var count: Int { ends.count }

    @inline(__always)
    mutating func append(_ value: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: value)
        ends.append(UInt32(bytes.count))
    }

    mutating func append(_ value: String) {
        bytes.append(contentsOf: value.utf8)
        ends.append(UInt32(bytes.count))
    }

    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var start = 0
            for end in ends.lazy.map({ Int($0) }) {
                body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
        }
    }

    // MARK: packing

    /// How the values are written. Every form preserves them byte for byte.
    enum Form: UInt8 {
        /// One value, which all events have.
        case constant
        /// The distinct values, and for each value the number of its distinct one.
        case dictionary
        /// Whole numbers in their canonical decimal form.
        case integers
        /// All values.
        case plain
    }

    /// How distinct values, or all of them, are written.
    enum TextForm: UInt8 {
        /// The lengths, followed by the bytes.
        case plain
        /// `DigitTexts`.
        case digits
    }

    /// The maximum number of distinct values in a dictionary. One of more than 256 has at most half as many as the column.
    static let dictionaryCapacity = BlockPacker.capacity / 2
    private static let smallDictionaryCapacity = 256

    /// - Parameter distinct: gets each distinct value, or every value where there are too many to detect duplicates.
    func append(to output: inout ByteWriter, distinct: (UnsafeRawBufferPointer) -> Void = { _ in }) {
        guard count > 0 else { return }
        if count == 1 {
            forEach(distinct)
            output.append(Form.constant.rawValue)
            output.append(bytes)
            return
        }
        if let (values, codes) = dictionary(atMost: Self.smallDictionaryCapacity) {
            values.forEach(distinct)
            if values.count == 1 {
                output.append(Form.constant.rawValue)
                output.append(values.bytes)
            } else {
                values.appendDictionary(codes, to: &output)
            }
        } else if let numbers = integers() {
            forEach(distinct)
            output.append(Form.integers.rawValue)
            IntegerColumn.append(numbers, to: &output)
        } else if let (values, codes) = dictionary(atMost: min(count / 2, Self.dictionaryCapacity)),
            values.bytes.count + codes.count * 2 < bytes.count
        {
            values.forEach(distinct)
            values.appendDictionary(codes, to: &output)
        } else {
            forEach(distinct)
            output.append(Form.plain.rawValue)
            appendTexts(to: &output)
        }
    }

    private func appendDictionary(_ codes: [Int64], to output: inout ByteWriter) {
        output.append(Form.dictionary.rawValue)
        output.append(number: count)
        appendTexts(to: &output)
        IntegerColumn.append(codes, to: &output)
    }

    private init(bytes: [UInt8], ends: [UInt32]) {
        self.bytes = bytes
        self.ends = ends
    }

    init() {}

    private func appendTexts(to output: inout ByteWriter) {
        // A few short texts are read faster as they are.
        if bytes.count >= 1024 {
            var digits = ByteWriter()
            if DigitTexts.append(self, to: &digits) {
                output.append(TextForm.digits.rawValue)
                output.append(digits.bytes)
                return
            }
        }
        output.append(TextForm.plain.rawValue)
        var start = 0
        let lengths = ends.map { end in
            defer { start = Int(end) }
            return Int64(Int(end) - start)
        }
        IntegerColumn.append(lengths, to: &output)
        output.append(bytes)
    }

    /// Returns the distinct values, and for each value the number of its distinct one; `nil` if there are more.
    private func dictionary(atMost capacity: Int) -> (ValueColumn, [Int64])? {
        var table = ByteTable()
        var codes: [Int64] = []
        codes.reserveCapacity(count)
        let isSmall = bytes.withUnsafeBytes { bytes in
            var start = 0
            for end in ends.lazy.map({ Int($0) }) {
                let value = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                guard let code = table.number(of: value, atMost: capacity) else { return false }
                codes.append(Int64(code))
                start = end
            }
            return true
        }
        return isSmall ? (ValueColumn(bytes: table.bytes, ends: table.ends.map { UInt32($0) }), codes) : nil
    }

    private func integers() -> [Int64]? {
        var numbers: [Int64] = []
        numbers.reserveCapacity(count)
        let areIntegers = bytes.withUnsafeBytes { bytes in
            var start = 0
            for end in ends.lazy.map({ Int($0) }) {
                guard let number = Int64(exactText: UnsafeRawBufferPointer(rebasing: bytes[start..<end])) else {
                    return false
                }
                numbers.append(number)
                start = end
            }
            return true
        }
        return areIntegers ? numbers : nil
    }
}

extension Int64 {
    /// - Returns: `nil` unless the text is exactly the number's `description`.
    init?(exactText text: UnsafeRawBufferPointer) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? UnsafeRawBufferPointer(rebasing: text.dropFirst()) : text
        guard let first = digits.first, digits.count <= 19 else { return nil }
        guard first != UInt8(ascii: "0") || text.count == 1 else { return nil }
        // 19 digits always fit into a `UInt64`.
        var magnitude: UInt64 = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            magnitude = magnitude &* 10 &+ UInt64(digit)
        }
        guard magnitude <= UInt64(Int64.max) + (isNegative ? 1 : 0) else { return nil }
        self = isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude)
    }
}
