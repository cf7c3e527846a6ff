/// Which of a block's up to 4,096 events are meant, by their offset from its first one.
struct OffsetSet: Sendable, Equatable {
    static let capacity = 4096
    /// From here on the bitmap is shorter than the list.
    private static let longestList = 256

    private var words = [UInt64](repeating: 0, count: capacity / 64)

    mutating func insert(_ offset: Int) {
        words[offset / 64] |= 1 << UInt64(offset % 64)
    }

    mutating func remove(_ offset: Int) {
        words[offset / 64] &= ~(1 << UInt64(offset % 64))
    }

    func intersection(_ other: OffsetSet) -> OffsetSet {
        var result = self
        for index in words.indices { result.words[index] &= other.words[index] }
        return result
    }

    /// Ascending.
    var offsets: [Int] {
        var offsets: [Int] = []
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                offsets.append(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return offsets
    }

    /// What `postings.offsets` holds.
    static func encoded(_ offsets: [UInt16]) -> [UInt8] {
        guard offsets.count > longestList else {
            return offsets.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        }
        var bitmap = [UInt8](repeating: 0, count: capacity / 8)
        for offset in offsets { bitmap[Int(offset) / 8] |= 1 << UInt8(offset % 8) }
        return bitmap
    }

    /// Adds what `encoded` made of `count` offsets.
    /// - Returns: whether it could have been made by it.
    mutating func insert(encoded bytes: UnsafeRawBufferPointer, count: Int) -> Bool {
        guard count > Self.longestList else {
            guard bytes.count == count * 2 else { return false }
            for index in 0..<count {
                let offset = Int(bytes[index * 2]) | Int(bytes[index * 2 + 1]) << 8
                guard offset < Self.capacity else { return false }
                insert(offset)
            }
            return true
        }
        guard bytes.count == Self.capacity / 8 else { return false }
        for index in words.indices {
            words[index] |= UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        return true
    }
}
