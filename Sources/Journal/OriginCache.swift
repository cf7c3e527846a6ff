import Glibc
import Model

/// Keeps one `Origin` for all entries that have the same values in the fields it is made of, found by their raw bytes,
/// so that an entry costs no strings. A table of fixed size in which the newer origin takes the place of the older one.
struct OriginCache {
    private final class Slot {
        let key: [UInt8]
        let origin: Origin

        init(key: [UInt8], origin: Origin) {
            self.key = key
            self.origin = origin
        }
    }

    private static let slotCount = 1024
    /// Of keys: origins take about as much again. Beyond it the table starts anew.
    private static let maximumBytes = 2 << 20

    private var slots = [Slot?](repeating: nil, count: slotCount)
    private var bytes = 0

    mutating func removeAll() {
        slots = [Slot?](repeating: nil, count: Self.slotCount)
        bytes = 0
    }

    @inline(__always)
    func origin(for key: [UInt8]) -> Origin? {
        guard let slot = slots[Self.index(of: key)], slot.key.count == key.count,
            memcmp(slot.key, key, key.count) == 0
        else { return nil }
        return slot.origin
    }

    mutating func insert(_ origin: Origin, for key: [UInt8]) {
        let index = Self.index(of: key)
        bytes += key.count - (slots[index]?.key.count ?? 0)
        if bytes > Self.maximumBytes {
            removeAll()
            bytes = key.count
        }
        slots[index] = Slot(key: key, origin: origin)
    }

    @inline(__always)
    private static func index(of key: [UInt8]) -> Int {
        Int(truncatingIfNeeded: hash(key) % UInt64(slotCount))
    }

    /// Eight bytes at a time. Whoever finds collisions costs us a few strings and nothing else.
    @inline(__always)
    private static func hash(_ key: [UInt8]) -> UInt64 {
        key.withUnsafeBytes { key in
            var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
            var offset = 0
            while offset + 8 <= key.count {
                mix(key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < key.count {
                mix(UInt64(key[offset]))
                offset += 1
            }
            return hash ^ hash >> 29

            func mix(_ word: UInt64) {
                hash = (hash ^ word) &* 0xBF58_476D_1CE4_E5B9
                hash ^= hash >> 32
            }
        }
    }
}
