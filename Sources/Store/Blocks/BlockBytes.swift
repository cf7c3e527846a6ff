/// Writes the parts that blocks are made of. All numbers are little endian.
struct BlockWriter {
    private(set) var bytes: [UInt8]

    init(reusing bytes: consuming [UInt8] = []) {
        self.bytes = bytes
        self.bytes.removeAll(keepingCapacity: true)
    }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// Seven bits a byte, the lowest first; the top bit says that more follow.
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

    /// Small numbers of either sign take few bytes.
    @inline(__always)
    mutating func append(signed: Int64) { append(number: UInt64(bitPattern: signed << 1 ^ signed >> 63)) }

    /// - Parameter width: how many bytes of the number are written.
    @inline(__always)
    mutating func append(_ number: UInt64, width: Int) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0.prefix(width)) }
    }

    static func numberBytes(_ number: UInt64) -> Int { (70 - (number | 1).leadingZeroBitCount) / 7 }

    static func signedBytes(_ number: Int64) -> Int { numberBytes(UInt64(bitPattern: number << 1 ^ number >> 63)) }
}

/// Reads what a `BlockWriter` wrote. Nothing is taken on trust: what does not fit is `BlockDamage`.
struct BlockReader {
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
