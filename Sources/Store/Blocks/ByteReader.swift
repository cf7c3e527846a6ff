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

    /// Makes each number but the first that before it and a signed difference, which are read.
    mutating func addDifferences(to numbers: inout [Int64]) throws(BlockDamage) {
        var reader = self
        var number = numbers[0]
        for index in 1..<numbers.count {
            number &+= Self.signed(try reader.numberOfAnyLength())
            numbers[index] = number
        }
        self = reader
    }

    /// The same as `number()`, without a branch on each byte: where lengths vary, most of those are guessed wrong.
    @inline(__always)
    private mutating func numberOfAnyLength() throws(BlockDamage) -> UInt64 {
        guard left >= 8 else { return try number() }
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        let ends = ~word & 0x8080_8080_8080_8080
        guard ends != 0 else { return try number() }
        place += ends.trailingZeroBitCount / 8 + 1
        // Seven bits of each byte up to the first that has no more behind it, then pairs of those, then pairs of pairs.
        var bits = word & (ends ^ (ends &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
        bits = bits & 0x007F_007F_007F_007F | (bits & 0x7F00_7F00_7F00_7F00) >> 1
        bits = bits & 0x0000_3FFF_0000_3FFF | (bits & 0x3FFF_0000_3FFF_0000) >> 2
        return bits & 0x0000_0000_0FFF_FFFF | (bits & 0x0FFF_FFFF_0000_0000) >> 4
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
