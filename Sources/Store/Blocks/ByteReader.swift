/// Reads what a `ByteWriter` wrote. Nothing is taken on trust: what does not fit is `BlockDamage`.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var place = 0

    /// - Parameter bytes: they must stay as long as the reader is used.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

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
            guard shift < 64 else { throw BlockDamage("a number has no end") }
        }
    }

    @inline(__always)
    mutating func signed() throws(BlockDamage) -> Int64 {
        Self.signed(try number())
    }

    @inline(__always)
    private static func signed(_ bits: UInt64) -> Int64 { Int64(bitPattern: bits >> 1 ^ (0 &- (bits & 1))) }

    /// Takes eight numbers, if each of the next ones has one byte.
    /// - Returns: the first is in the lowest byte.
    @inline(__always)
    private mutating func eightSmallNumbers() -> UInt64? {
        guard left >= 8 else { return nil }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        guard word & 0x8080_8080_8080_8080 == 0 else { return nil }
        place += 8
        return word
    }

    /// Makes each number but the first that before it and a signed difference, which are read.
    mutating func addDifferences(to numbers: inout [Int64]) throws(BlockDamage) {
        var reader = self
        var (number, index) = (numbers[0], 1)
        while index < numbers.count {
            while index + 8 <= numbers.count, let word = reader.eightSmallNumbers() {
                for byte in 0..<8 {
                    number &+= Self.signed(word >> UInt64(byte * 8) & 0x7F)
                    numbers[index + byte] = number
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

    /// - Parameter most: what is larger is damage, so that nobody makes room for it.
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

    func end() throws(BlockDamage) {
        guard isAtEnd else { throw BlockDamage("\(left) bytes are left over") }
    }

    private static let short = BlockDamage("it ends too early")
}
