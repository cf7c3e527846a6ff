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
        let bits = try number()
        return Int64(bitPattern: bits >> 1 ^ (0 &- (bits & 1)))
    }

    /// Makes each number but the first that before it and a signed difference, which are read.
    mutating func addDifferences(to numbers: inout [Int64]) throws(BlockDamage) {
        var reader = self
        var number = numbers[0]
        for index in 1..<numbers.count {
            number &+= try reader.signed()
            numbers[index] = number
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
