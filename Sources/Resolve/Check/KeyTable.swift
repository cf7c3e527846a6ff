/// Finds the index of a key by its bytes, without creating a `String`. It is immutable.
struct KeyTable: Sendable {
    private struct Key: Sendable {
        let hash: UInt64
        let start: Int32
        let count: Int32
    }

    private let keys: [Key]
    /// The texts of the keys.
    private let bytes: [UInt8]
    /// The indices of the keys, at the places that follow from their hashes; -1 where there is none. Nothing else is there
    /// because most places are empty, and only a few of many tables fit into the processor's cache.
    private let places: [Int32]

    static let empty = KeyTable([])

    /// - Parameter texts: the keys. A lookup returns a key's index in this list; of equal keys, that of the first.
    init(_ texts: [String]) {
        var capacity = 4
        while capacity < texts.count * 2 { capacity *= 2 }
        var places = [Int32](repeating: -1, count: capacity)
        var keys: [Key] = []
        var bytes: [UInt8] = []
        for (index, text) in texts.enumerated() {
            let utf8 = Array(text.utf8)
            let hash = utf8.withUnsafeBytes(KeyHash.of)
            var at = Int(truncatingIfNeeded: hash) & (capacity - 1)
            while places[at] >= 0 { at = (at + 1) & (capacity - 1) }
            places[at] = Int32(index)
            keys.append(Key(hash: hash, start: Int32(bytes.count), count: Int32(utf8.count)))
            bytes += utf8
        }
        self.keys = keys
        self.bytes = bytes
        self.places = places
    }

    @inline(__always)
    func index(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
        let mask = places.count - 1
        var at = Int(truncatingIfNeeded: hash) & mask
        while places[at] >= 0 {
            let index = Int(places[at])
            if keys[index].hash == hash, equals(key, keys[index]) { return index }
            at = (at + 1) & mask
        }
        return nil
    }

    @inline(__always)
    private func equals(_ text: UnsafeRawBufferPointer, _ key: Key) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let start = Int(key.start)
            return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(key.count)]).equals(text)
        }
    }
}

/// A hash of a short key, for a `KeyTable` and for finding equal keys in one payload. It is the same in every run.
enum KeyHash {
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var at = 0
        while at + 8 < bytes.count {
            hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            at += 8
        }
        return mix(hash ^ bytes.end)
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var at = 0
        while at + 8 < count {
            let word = loadUnaligned(fromByteOffset: at, as: UInt64.self)
            if word != other.loadUnaligned(fromByteOffset: at, as: UInt64.self) { return false }
            at += 8
        }
        return end == other.end
    }

    /// Whether it has a `.`, looked for in eight bytes at a time: every name is asked.
    @inline(__always)
    var hasDot: Bool {
        var at = 0
        while at + 8 < count {
            if loadUnaligned(fromByteOffset: at, as: UInt64.self).hasDot { return true }
            at += 8
        }
        return end.hasDot
    }

    /// The last eight bytes, or all if there are fewer, in an order that depends on their number alone.
    @inline(__always)
    fileprivate var end: UInt64 {
        if count >= 8 { return loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) }
        if count >= 4 {
            // Some bytes may be in both halves.
            let half = loadUnaligned(fromByteOffset: 0, as: UInt32.self)
            return UInt64(half) << 32 | UInt64(loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
        }
        var end: UInt64 = 0
        var at = 0
        while at < count {
            end = end << 8 | UInt64(self[at])
            at += 1
        }
        return end
    }
}

extension UInt64 {
    /// Whether one of its bytes is a `.`. Subtracting 1 sets the highest bit of a byte that is 0.
    @inline(__always)
    fileprivate var hasDot: Bool {
        let differences = self ^ 0x2E2E_2E2E_2E2E_2E2E
        return (differences &- 0x0101_0101_0101_0101) & ~differences & 0x8080_8080_8080_8080 != 0
    }
}
