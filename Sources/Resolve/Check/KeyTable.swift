import Model

/// Finds the index of a key by its bytes, without creating a `String`. It is immutable.
struct KeyTable: Sendable {
    private struct Slot: Sendable {
        var hash: UInt64 = 0
        var start: Int32 = 0
        var count: Int32 = 0
        /// The index of the key; -1 marks an empty slot.
        var index: Int32 = -1
    }

    private let slots: [Slot]
    private let bytes: [UInt8]
    private let mask: Int

    static let empty = KeyTable([])

    /// - Parameter keys: the keys. A lookup returns a key's index in this list; of equal keys, that of the first.
    init(_ keys: [String]) {
        var capacity = 4
        while capacity < keys.count * 2 { capacity *= 2 }
        var slots = [Slot](repeating: Slot(), count: capacity)
        var bytes: [UInt8] = []
        for (index, key) in keys.enumerated() {
            let utf8 = Array(key.utf8)
            let hash = utf8.withUnsafeBytes(KeyHash.of)
            var at = Int(truncatingIfNeeded: hash) & (capacity - 1)
            while slots[at].index >= 0 { at = (at + 1) & (capacity - 1) }
            slots[at] = Slot(hash: hash, start: Int32(bytes.count), count: Int32(utf8.count), index: Int32(index))
            bytes += utf8
        }
        self.slots = slots
        self.bytes = bytes
        mask = capacity - 1
    }

    @inline(__always)
    func index(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
        var at = Int(truncatingIfNeeded: hash) & mask
        while slots[at].index >= 0 {
            if slots[at].hash == hash, equals(key, slots[at]) { return Int(slots[at].index) }
            at = (at + 1) & mask
        }
        return nil
    }

    @inline(__always)
    private func equals(_ key: UnsafeRawBufferPointer, _ slot: Slot) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let start = Int(slot.start)
            return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(slot.count)]).equals(key)
        }
    }
}

/// A hash of a short key, for a `KeyTable` and for finding equal keys in one payload. It is the same in every run.
enum KeyHash {
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var at = 0
        while at + 8 <= bytes.count {
            hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            at += 8
        }
        var rest: UInt64 = 0
        while at < bytes.count {
            rest = rest << 8 | UInt64(bytes[at])
            at += 1
        }
        return mix(hash ^ rest)
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value &* 0xD6E8_FEB8_6659_FD93
        return product ^ (product >> 32)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var at = 0
        while at + 8 <= count {
            let word = loadUnaligned(fromByteOffset: at, as: UInt64.self)
            if word != other.loadUnaligned(fromByteOffset: at, as: UInt64.self) { return false }
            at += 8
        }
        while at < count {
            if self[at] != other[at] { return false }
            at += 1
        }
        return true
    }
}
