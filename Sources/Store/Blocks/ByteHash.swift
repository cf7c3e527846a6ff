/// A quick hash of bytes. It is part of the format, as filters have it: the same for ever.
enum ByteHash {
    /// - Parameter seed: 0 for what is stored; something random for tables in memory, as the bytes come from anybody.
    @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var place = 0
        while place + 8 <= bytes.count {
            hash = mixed(hash ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        if place < bytes.count {
            var rest: UInt64 = 0
            for index in (place..<bytes.count).reversed() { rest = rest << 8 | UInt64(bytes[index]) }
            hash = mixed(hash ^ rest)
        }
        return mixed(hash)
    }

    /// Every bit of the result depends on every bit of the number, and no two numbers have the same result.
    @inline(__always)
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }
}
