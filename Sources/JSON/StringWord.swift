/// Eight bytes of a string at a time: finds the first that does not simply stand for itself.
enum StringWord {
    /// How many of the eight bytes at `bytes` come before the first quote, backslash, control character or byte that is
    /// not ASCII.
    @inline(__always)
    static func plainBytes(_ bytes: UnsafePointer<UInt8>) -> Int {
        let word = UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
        // Each term sets the top bit of a byte that fits. The borrow of a subtraction may set more of them, but only
        // above a byte that fits, and the lowest is what counts.
        let special =
            zeroBytes(word ^ (ones &* 0x22)) | zeroBytes(word ^ (ones &* 0x5C))
            | ((word &- ones &* 0x20) & ~word & topBits) | (word & topBits)
        return special.trailingZeroBitCount / 8
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var topBits: UInt64 { 0x8080_8080_8080_8080 }

    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & topBits }
}
