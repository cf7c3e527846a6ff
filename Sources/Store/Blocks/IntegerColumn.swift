/// Writes one number for each event, in one of three forms.
enum IntegerColumn {
    private enum Form: UInt8 {
        /// The first number, and the constant step to each next one.
        case steps
        /// The first number, and the difference between each next one and its predecessor. Reading a number needs those before
        /// it, except where differences hardly change, so that this form has to be smaller by a ninth at least.
        case differences
        /// The lowest number, the width of the offsets in bytes, and an offset for each number. With eight bytes, offsets are from
        /// 0, so that a number can be read by itself.
        case offsets
    }

    static func append(_ numbers: [Int64], to output: inout ByteWriter) {
        guard let first = numbers.first, var least = numbers.first, var most = numbers.first else { return }
        var (differenceBytes, step, isSteady) = (0, Int64?.none, true)
        var last = first
        for number in numbers.dropFirst() {
            let difference = number &- last
            differenceBytes += ByteWriter.signedBytes(difference)
            if let step { isSteady = isSteady && step == difference } else { step = difference }
            least = min(least, number)
            most = max(most, number)
            last = number
        }
        let width = max(1, 8 - UInt64(bitPattern: most &- least).leadingZeroBitCount / 8)
        if isSteady {
            output.append(Form.steps.rawValue)
            output.append(signed: first)
            output.append(signed: step ?? 0)
        } else if differenceBytes * 9 < width * numbers.count * 8 {
            output.append(Form.differences.rawValue)
            output.append(signed: first)
            var last = first
            for number in numbers.dropFirst() {
                output.append(signed: number &- last)
                last = number
            }
        } else {
            if width == 8 { least = 0 }
            output.append(Form.offsets.rawValue)
            output.append(signed: least)
            output.append(UInt8(width))
            for number in numbers { output.append(UInt64(bitPattern: number &- least), width: width) }
        }
    }

    /// Returns where a number stands in a column of many numbers with eight bytes each; `nil` in any other.
    /// - Parameter size: of the column.
    static func place(of index: Int, among count: Int, size: Int) -> Range<Int>? {
        // The other forms of so many numbers have other sizes.
        guard count >= 256, size == 3 + 8 * count else { return nil }
        return 3 + 8 * index..<11 + 8 * index
    }

    /// - Parameter count: the number of values.
    static func read(_ count: Int, from input: inout ByteReader) throws(BlockDamage) -> PackedIntegers {
        guard count > 0 else { return PackedIntegers([]) }
        guard let form = Form(rawValue: try input.byte()) else { throw BlockDamage("an unknown form of numbers") }
        let first = try input.signed()
        switch form {
        case .steps: return PackedIntegers(count, first: first, step: try input.signed())
        case .differences:
            // Each difference takes at least a byte, so that the length of the input bounds the allocation.
            guard count - 1 <= input.left else { throw BlockDamage("it is truncated") }
            if let runs = try IntegerRuns.read(count, from: first, &input) { return PackedIntegers(runs) }
            return PackedIntegers(try input.differences(count, from: first))
        case .offsets:
            let width = Int(try input.byte())
            guard (1...7).contains(width) || width == 8 && first == 0 else {
                throw BlockDamage("numbers of \(width) bytes")
            }
            return PackedIntegers(count, least: first, width: width, try input.hold(count * width))
        }
    }
}
