/// The hashes that a block's Bloom filters consist of.
enum BlockFilters {
    /// The kinds of names in a block's filter of names.
    enum Name: UInt64 {
        case subsystem = 1
        case category
        /// The event's key, as `CATEGORY/NAME`.
        case event
        case boot
        /// The version that the event was resolved with, as `DICTIONARY/VERSION`.
        case version
    }

    static func hash(_ name: Name, _ text: String) -> UInt64 {
        var text = text
        return ByteHash.mixed(text.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0)) } ^ name.rawValue)
    }

    /// - Parameter name: the name of a parameter. A nested name has the names of its objects before it, separated by
    ///   dots.
    static func hash(name: [UInt8]) -> UInt64 { name.withUnsafeBytes { ByteHash.hash($0) } }

    /// - Parameters:
    ///   - parameter: the hash of the parameter's name.
    ///   - value: the text of a string; the JSON text of any other value.
    @inline(__always)
    static func hash(parameter: UInt64, value: UnsafeRawBufferPointer) -> UInt64 {
        ByteHash.mixed(ByteHash.hash(value) ^ parameter)
    }
}

/// A Bloom filter that says whether a block may have a value. There are false positives, but no false negatives.
struct ValueFilter {
    /// About one in fifty of the values that the block does not have passes.
    private static let bitsPerValue = 8
    private static let probes: UInt64 = 6

    private(set) var bytes: [UInt8]

    /// - Parameter hashes: the hashes of the values, without duplicates.
    init(hashes: [UInt64]) {
        let count = max(hashes.count * Self.bitsPerValue / 8, 8)
        bytes = [UInt8](repeating: 0, count: count)
        for hash in hashes {
            for bit in Self.bits(of: hash, UInt64(count) * 8) { bytes[Int(bit >> 3)] |= 1 << (bit & 7) }
        }
    }

    /// - Parameter filter: the bytes of a filter. An empty one contains nothing.
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
