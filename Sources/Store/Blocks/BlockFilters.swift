internal import Model

/// What a block says of itself to those who look for something: hashes of what it has.
enum BlockFilters {
    /// What a name is the name of.
    enum Name: UInt64 {
        case subsystem = 1
        case category
        /// `CATEGORY/NAME` of the event's key.
        case event
        case boot
        /// `DICTIONARY/VERSION` that the event was resolved with.
        case version
    }

    static func hash(_ name: Name, _ text: String) -> UInt64 {
        var text = text
        return ByteHash.mixed(text.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0)) } ^ name.rawValue)
    }

    /// - Parameter name: of a parameter, with dots before the names of what is nested.
    static func hash(name: [UInt8]) -> UInt64 { name.withUnsafeBytes { ByteHash.hash($0) } }

    /// - Parameters:
    ///   - parameter: the hash of its name.
    ///   - value: the text of a string, or else JSON text.
    @inline(__always)
    static func hash(parameter: UInt64, value: UnsafeRawBufferPointer) -> UInt64 {
        ByteHash.mixed(ByteHash.hash(value) ^ parameter)
    }
}

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
