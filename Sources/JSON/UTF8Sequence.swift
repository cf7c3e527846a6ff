/// Well-formed UTF-8: shortest form, no surrogates, nothing above U+10FFFF.
///
/// - Source: The Unicode Standard, table 3-7.
enum UTF8Sequence {
    /// The length of the sequence that begins with the byte at `start`, which is not ASCII, when it is well formed;
    /// otherwise the negative length of the part that one U+FFFD stands for (1 to 3 bytes).
    @inline(__always)
    static func length(_ bytes: UnsafePointer<UInt8>, from start: Int, end: Int) -> Int {
        let first = bytes[start]
        let wanted: Int
        switch first {
        case 0xC2...0xDF: wanted = 2
        case 0xE0...0xEF: wanted = 3
        case 0xF0...0xF4: wanted = 4
        default: return -1
        }
        guard start + 1 < end, secondBytes(after: first).contains(bytes[start + 1]) else { return -1 }
        var length = 2
        while length < wanted {
            guard start + length < end, bytes[start + length] & 0xC0 == 0x80 else { return -length }
            length += 1
        }
        return wanted
    }

    @inline(__always)
    private static func secondBytes(after first: UInt8) -> ClosedRange<UInt8> {
        switch first {
        case 0xE0: 0xA0...0xBF
        case 0xED: 0x80...0x9F
        case 0xF0: 0x90...0xBF
        case 0xF4: 0x80...0x8F
        default: 0x80...0xBF
        }
    }
}
