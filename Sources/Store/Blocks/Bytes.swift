internal import Glibc
internal import JSON

/// Reads what a `ByteWriter` wrote. The input is not trusted: anything invalid is reported as `BlockDamage`.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    /// The array that the bytes are in, and where they begin in it.
    private let owner: (array: [UInt8], start: Int)?
    private(set) var place = 0

    /// - Parameters:
    ///   - bytes: must stay valid as long as the reader is used.
    ///   - array: begins with these bytes, and has `HeldBytes.padding` more. What is held then is not copied.
    init(_ bytes: UnsafeRawBufferPointer, of array: [UInt8]? = nil) {
        self.init(bytes, array.map { ($0, 0) })
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ owner: (array: [UInt8], start: Int)?) {
        self.bytes = bytes
        self.owner = owner
    }

    var isAtEnd: Bool { place == bytes.count }
    var left: Int { bytes.count - place }

    @inline(__always)
    mutating func byte() throws(BlockDamage) -> UInt8 {
        guard place < bytes.count else { throw Self.short }
        defer { place += 1 }
        return bytes[place]
    }

    @inline(__always)
    mutating func number() throws(BlockDamage) -> UInt64 {
        let first = try byte()
        if first < 0x80 { return UInt64(first) }
        var (number, shift) = (UInt64(first & 0x7F), UInt64(7))
        while true {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
            guard shift < 64 else { throw BlockDamage("a number is not terminated") }
        }
    }

    @inline(__always)
    mutating func signed() throws(BlockDamage) -> Int64 {
        Self.signed(try number())
    }

    @inline(__always)
    private static func signed(_ bits: UInt64) -> Int64 { Int64(bitPattern: bits >> 1 ^ (0 &- (bits & 1))) }

    /// Reads the next eight numbers, if each of them has one byte.
    /// - Returns: a word whose lowest byte is the first number.
    @inline(__always)
    private mutating func eightSmallNumbers() -> UInt64? {
        guard left >= 8 else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        guard word & 0x8080_8080_8080_8080 == 0 else { return nil }
        place += 8
        return word
    }

    /// Skips signed numbers as long as they are this one.
    /// - Returns: how many.
    mutating func skip(signed number: Int64, atMost most: Int) throws(BlockDamage) -> Int {
        let (first, bits) = (place, ByteWriter.bits(ofSigned: number))
        if bits < 0x80 {
            let (eight, last) = (bits &* 0x0101_0101_0101_0101, min(most, left) - 8)
            var count = 0
            while count <= last,
                bytes.loadUnaligned(fromByteOffset: first &+ count, as: UInt64.self) == eight
            {
                count &+= 8
            }
            place += count
        }
        var count = place - first
        while count < most {
            let start = place
            guard try signed() == number else {
                place = start
                break
            }
            count += 1
        }
        return count
    }

    /// Returns numbers, each of which is the sum of the previous one and a signed difference, which is read.
    /// - Parameter count: is more than 0.
    mutating func differences(_ count: Int, from first: Int64) throws(BlockDamage) -> [Int64] {
        var reader = self
        var damage: BlockDamage?
        let numbers = [Int64](unsafeUninitializedCapacity: count) { numbers, initialized in
            do throws(BlockDamage) {
                try reader.addDifferences(to: first, numbers)
                initialized = count
            } catch {
                damage = error
            }
        }
        if let damage { throw damage }
        self = reader
        return numbers
    }

    private mutating func addDifferences(
        to first: Int64, _ numbers: UnsafeMutableBufferPointer<Int64>
    ) throws(BlockDamage) {
        var reader = self
        numbers[0] = first
        var (number, index) = (first, 1)
        while index < numbers.count {
            while index + 8 <= numbers.count, let word = reader.eightSmallNumbers() {
                if word == word & 0xFF &* 0x0101_0101_0101_0101 {
                    let step = Self.signed(word & 0x7F)
                    for byte in 0..<8 {
                        number &+= step
                        numbers[index + byte] = number
                    }
                } else {
                    for byte in 0..<8 {
                        number &+= Self.signed(word >> UInt64(byte * 8) & 0x7F)
                        numbers[index + byte] = number
                    }
                }
                index += 8
            }
            guard index < numbers.count else { break }
            number &+= try reader.signed()
            numbers[index] = number
            index += 1
        }
        self = reader
    }

    /// - Parameter most: the largest valid number. A larger one is damage, so that no memory is allocated for it.
    mutating func count(atMost most: Int) throws(BlockDamage) -> Int {
        let number = try number()
        guard number <= UInt64(most) else { throw BlockDamage("\(number) is more than \(most)") }
        return Int(number)
    }

    mutating func take(_ count: Int) throws(BlockDamage) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= left else { throw Self.short }
        defer { place += count }
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    mutating func rest() -> UnsafeRawBufferPointer {
        defer { place = bytes.count }
        return UnsafeRawBufferPointer(rebasing: bytes[place...])
    }

    /// Returns the next bytes so that they stay valid.
    mutating func hold(_ count: Int) throws(BlockDamage) -> HeldBytes {
        let start = place
        let taken = try take(count)
        return if let owner {
            HeldBytes(array: owner.array, start: owner.start + start, count: count)
        } else {
            HeldBytes(copyOf: taken)
        }
    }

    /// Returns a reader of the next bytes.
    mutating func reader(_ count: Int) throws(BlockDamage) -> ByteReader {
        let start = place
        return ByteReader(try take(count), owner.map { ($0.array, $0.start + start) })
    }

    func end() throws(BlockDamage) {
        guard isAtEnd else { throw BlockDamage("\(left) bytes are left over") }
    }

    private static let short = BlockDamage("it is truncated")
}

/// Bytes within an array that others may share.
struct HeldBytes: Sendable {
    /// How many bytes the array has after these, so that eight can be read at the place of each.
    static let padding = 7

    let array: [UInt8]
    let start: Int
    let count: Int

    static let none = HeldBytes(array: [], start: 0, count: 0)

    fileprivate init(array: [UInt8], start: Int, count: Int) {
        (self.array, self.start, self.count) = (array, start, count)
    }

    init(copyOf bytes: UnsafeRawBufferPointer) {
        var array: [UInt8] = []
        array.reserveCapacity(bytes.count + Self.padding)
        array.append(contentsOf: bytes)
        array.append(contentsOf: repeatElement(0, count: Self.padding))
        self.init(array: array, start: 0, count: bytes.count)
    }

    @inline(__always)
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try array.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
    }

    /// Returns eight bytes, of which the last seven may be behind these.
    @inline(__always)
    func word(at place: Int) -> UInt64 {
        array.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: start + place, as: UInt64.self))
        }
    }

    /// Returns the greatest of the numbers that the bytes are, 0 if there is none.
    func most<Number: FixedWidthInteger & UnsignedInteger>(of type: Number.Type) -> Number {
        withUnsafeBytes { bytes in
            var most: Number = 0
            // The processor compares many at a time.
            for index in 0..<bytes.count / MemoryLayout<Number>.size {
                let number = bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Number>.size, as: type)
                most = max(most, Number(littleEndian: number))
            }
            return most
        }
    }
}

/// Writes the elements that blocks consist of. All numbers are little endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Appends seven bits a byte, the lowest first. The top bit of a byte says that more follow.
    @inline(__always)
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    mutating func append(number: Int) { append(number: UInt64(number)) }

    /// Appends a number so that small numbers of either sign take few bytes.
    @inline(__always)
    mutating func append(signed: Int64) { append(number: Self.bits(ofSigned: signed)) }

    /// - Parameter width: the number of bytes to write.
    @inline(__always)
    mutating func append(_ number: UInt64, width: Int) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0.prefix(width)) }
    }

    static func numberBytes(_ number: UInt64) -> Int { (70 - (number | 1).leadingZeroBitCount) / 7 }

    static func signedBytes(_ number: Int64) -> Int { numberBytes(bits(ofSigned: number)) }

    /// Returns the number that a signed one is written as: a small one if that is near 0.
    @inline(__always)
    static func bits(ofSigned number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return memcmp(base, otherBase, count) == 0
    }

    /// Calls `body` with the text that these bytes represent, when they are between the quotes of a JSON string.
    @inline(__always)
    func withUnescaped<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        contains(UInt8(ascii: "\\")) ? try JSONScanner.unescape(self).withUnsafeBytes(body) : try body(self)
    }
}
