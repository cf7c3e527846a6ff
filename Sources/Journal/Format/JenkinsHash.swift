/// Jenkins' lookup3, both halves of its result in one word: the hash of fields in files without keyed hashes, and what an
/// entry's own hash is made of in all of them. Bytes may come in pieces; how many there are must be known before.
/// - Source: https://burtleburtle.net/bob/c/lookup3.c (`hashlittle2`)
struct JenkinsHash {
    private var a: UInt32
    private var b: UInt32
    private var c: UInt32
    /// Up to 12 bytes that are not mixed in yet: the last block, whole or not, is mixed differently.
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
