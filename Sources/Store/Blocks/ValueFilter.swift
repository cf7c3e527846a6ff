/// Says of a value whether a block may have it: a Bloom filter, which is never wrong when it says no.
struct ValueFilter {
    /// One in fifty of the others passes.
    private static let bitsPerValue = 8
    private static let probes: UInt64 = 6

    private(set) var bytes: [UInt8]

    /// - Parameter hashes: of the values, each once.
    init(hashes: [UInt64]) {
        let count = max(hashes.count * Self.bitsPerValue / 8, 8)
        bytes = [UInt8](repeating: 0, count: count)
        for hash in hashes {
            for bit in Self.bits(of: hash, UInt64(count) * 8) { bytes[Int(bit >> 3)] |= 1 << (bit & 7) }
        }
    }

    /// - Parameter filter: the bytes of one; without any it has nothing.
    static func mayContain(_ hash: UInt64, _ filter: UnsafeRawBufferPointer) -> Bool {
        guard !filter.isEmpty else { return false }
        return bits(of: hash, UInt64(filter.count) * 8).allSatisfy { filter[Int($0 >> 3)] & 1 << ($0 & 7) != 0 }
    }

    @inline(__always)
    private static func bits(of hash: UInt64, _ count: UInt64) -> some Sequence<UInt64> {
        let (start, step) = (hash & 0xFFFF_FFFF, hash >> 32 | 1)
        return (0..<probes).lazy.map { (start &+ $0 &* step) % count }
    }
}
