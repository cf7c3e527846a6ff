import Model

/// The hash that a file stores for each of its fields, over the uncompressed bytes. It detects damage in fields;
/// nothing else in a file has a checksum.
enum FieldHash {
    case keyed(SipHash)
    case unkeyed(JenkinsHash)

    /// - Parameter length: the length of the field, with which Jenkins' hash begins.
    @inline(__always)
    init(_ header: FileHeader, length: Int) {
        self =
            header.flags.contains(.keyedHash)
            ? .keyed(SipHash(key: header.fileID)) : .unkeyed(JenkinsHash(length: length))
    }

    mutating func update(_ bytes: RawSpan) {
        switch self {
        case .keyed(var hash):
            hash.update(bytes)
            self = .keyed(hash)
        case .unkeyed(var hash):
            hash.update(bytes)
            self = .unkeyed(hash)
        }
    }

    consuming func finish() -> UInt64 {
        switch self {
        case .keyed(let hash): hash.finish()
        case .unkeyed(let hash): hash.finish()
        }
    }
}

/// Jenkins' lookup3 with both halves of its result in one word. It is the hash of fields in files without keyed hashes,
/// and in all files the basis of an entry's own hash. Bytes may be added in pieces, but their number must be known
/// first.
/// - Source: https://burtleburtle.net/bob/c/lookup3.c (`hashlittle2`)
struct JenkinsHash {
    private var a: UInt32
    private var b: UInt32
    private var c: UInt32
    /// Up to 12 bytes that are not mixed in yet: the last block, complete or not, is mixed differently.
    private var block = (UInt32(0), UInt32(0), UInt32(0))
    private var filled = 0

    init(length: Int) {
        a = 0xDEAD_BEEF &+ UInt32(truncatingIfNeeded: length)
        (b, c) = (a, a)
    }

    mutating func update(_ bytes: RawSpan) {
        var offset = 0
        let end = bytes.byteCount
        if filled > 0 {
            while filled < 12, offset < end {
                append(bytes.uint8(at: offset))
                offset += 1
            }
            if offset == end { return }
            mixBlock()
        }
        while end - offset > 12 {
            a &+= bytes.uint32(at: offset)
            b &+= bytes.uint32(at: offset + 4)
            c &+= bytes.uint32(at: offset + 8)
            mix()
            offset += 12
        }
        while offset < end {
            append(bytes.uint8(at: offset))
            offset += 1
        }
    }

    consuming func finish() -> UInt64 {
        if filled > 0 {
            a &+= block.0
            b &+= block.1
            c &+= block.2
            finalMix()
        }
        return UInt64(c) << 32 | UInt64(b)
    }

    private mutating func append(_ byte: UInt8) {
        let bits = UInt32(byte) << (8 * UInt32(filled & 3))
        switch filled >> 2 {
        case 0: block.0 |= bits
        case 1: block.1 |= bits
        default: block.2 |= bits
        }
        filled += 1
    }

    private mutating func mixBlock() {
        a &+= block.0
        b &+= block.1
        c &+= block.2
        mix()
        block = (0, 0, 0)
        filled = 0
    }

    @inline(__always)
    private mutating func mix() {
        a &-= c
        a ^= rotated(c, 4)
        c &+= b
        b &-= a
        b ^= rotated(a, 6)
        a &+= c
        c &-= b
        c ^= rotated(b, 8)
        b &+= a
        a &-= c
        a ^= rotated(c, 16)
        c &+= b
        b &-= a
        b ^= rotated(a, 19)
        a &+= c
        c &-= b
        c ^= rotated(b, 4)
        b &+= a
    }

    private mutating func finalMix() {
        c ^= b
        c &-= rotated(b, 14)
        a ^= c
        a &-= rotated(c, 11)
        b ^= a
        b &-= rotated(a, 25)
        c ^= b
        c &-= rotated(b, 16)
        a ^= c
        a &-= rotated(c, 4)
        b ^= a
        b &-= rotated(a, 14)
        c ^= b
        c &-= rotated(b, 24)
    }

    @inline(__always)
    private func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}

/// SipHash-2-4, with which journald hashes fields in files with keyed hashes, and Gloss entries. Bytes may be added in pieces.
/// - Source: https://131002.net/siphash/
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    /// The bytes that do not fill a word yet, the first one in the lowest byte.
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
        // Fewer than eight bytes, with none before them.
        for index in offset..<end { tail |= UInt64(bytes.uint8(at: index)) << (8 * UInt64(index - offset)) }
        count += end - offset
    }

    /// Adds the bytes of a word, the lowest first. Only whole words may have been added before.
    @inline(__always)
    mutating func update(_ word: UInt64) {
        compress(word)
        count += 8
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
