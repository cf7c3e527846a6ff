/// Writes the parts that blocks are made of. All numbers are little endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

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
