import Model

/// SipHash-2-4, as journald hashes fields in files with keyed hashes. Bytes may come in pieces.
/// - Source: https://131002.net/siphash/
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    /// Bytes that do not fill a word yet, the first in the lowest byte.
    private var tail: UInt64 = 0
    private var count = 0

    init(key: ID128) {
        v0 = 0x736F_6D65_7073_6575 ^ key.high.byteSwapped
        v1 = 0x646F_7261_6E64_6F6D ^ key.low.byteSwapped
        v2 = 0x6C79_6765_6E65_7261 ^ key.high.byteSwapped
        v3 = 0x7465_6462_7974_6573 ^ key.low.byteSwapped
    }

    @inline(__always)
    mutating func update(_ bytes: RawSpan) {
        var offset = 0
        let end = bytes.byteCount
        while count & 7 != 0, offset < end { append(bytes.uint8(at: offset)); offset += 1 }
        let whole = offset + (end - offset) & ~7
        count += whole - offset
        while offset < whole {
            compress(bytes.uint64(at: offset))
            offset += 8
        }
        // Fewer than eight, with none before them.
        for index in offset..<end { tail |= UInt64(bytes.uint8(at: index)) << (8 * UInt64(index - offset)) }
        count += end - offset
    }

    private mutating func append(_ byte: UInt8) {
        tail |= UInt64(byte) << (8 * UInt64(count & 7))
        count += 1
        if count & 7 == 0 {
            compress(tail)
            tail = 0
        }
    }

    consuming func finish() -> UInt64 {
        compress(UInt64(truncatingIfNeeded: count) << 56 | tail)
        v2 ^= 0xFF
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inline(__always)
    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 &+= v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 &+= v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }
}
