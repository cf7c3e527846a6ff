/// One number for each event, as bytes: in whichever of three forms takes fewest.
enum IntegerColumn {
    private enum Form: UInt8 {
        /// The first number and the step to each next one, which is always the same.
        case steps
        /// The first number, and of each next one the difference.
        case differences
        /// The least number, how many bytes each has, and what is added.
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
        let span = UInt64(bitPattern: most &- least)
        let width = (8 - span.leadingZeroBitCount / 8).nextPowerOfTwo
        if isSteady {
            output.append(Form.steps.rawValue)
            output.append(signed: first)
            output.append(signed: step ?? 0)
        } else if differenceBytes < width * numbers.count {
            output.append(Form.differences.rawValue)
            output.append(signed: first)
            var last = first
            for number in numbers.dropFirst() {
                output.append(signed: number &- last)
                last = number
            }
        } else {
            output.append(Form.offsets.rawValue)
            output.append(signed: least)
            output.append(UInt8(width))
            for number in numbers { output.append(UInt64(bitPattern: number &- least), width: width) }
        }
    }

    /// - Parameter count: how many there are.
    static func read(_ count: Int, from input: inout ByteReader) throws(BlockDamage) -> [Int64] {
        guard count > 0 else { return [] }
        guard let form = Form(rawValue: try input.byte()) else { throw BlockDamage("an unknown form of numbers") }
        let first = try input.signed()
        var numbers: [Int64] = []
        // Where each number has its byte, the input's length bounds the room for them.
        if form == .differences, count - 1 > input.left { throw BlockDamage("it ends too early") }
        switch form {
        case .steps:
            let step = try input.signed()
            numbers.reserveCapacity(count)
            var number = first
            for _ in 0..<count {
                numbers.append(number)
                number &+= step
            }
        case .differences:
            numbers.reserveCapacity(count)
            var number = first
            numbers.append(number)
            for _ in 1..<count {
                number &+= try input.signed()
                numbers.append(number)
            }
        case .offsets:
            let width = Int(try input.byte())
            guard [1, 2, 4, 8].contains(width) else { throw BlockDamage("numbers of \(width) bytes") }
            let bytes = try input.take(count * width)
            numbers.reserveCapacity(count)
            switch width {
            case 1: for index in 0..<count { numbers.append(first &+ Int64(bytes[index])) }
            case 2:
                for index in 0..<count {
                    numbers.append(
                        first
                            &+ Int64(
                                UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))))
                }
            case 4:
                for index in 0..<count {
                    numbers.append(
                        first
                            &+ Int64(
                                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))))
                }
            default:
                for index in 0..<count {
                    numbers.append(
                        first &+ Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)))
                }
            }
        }
        return numbers
    }
}

extension Int {
    /// Of 0 to 8: 1, 2, 4 or 8, not less than it.
    fileprivate var nextPowerOfTwo: Int { self <= 1 ? 1 : self <= 2 ? 2 : self <= 4 ? 4 : 8 }
}
