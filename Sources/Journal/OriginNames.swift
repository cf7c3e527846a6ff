import Model

/// The values that make up an entry's origin, one after the other in a buffer that is used again for each entry, and
/// that is at the same time the key under which the origin is found.
struct OriginNames {
    /// The rule's number comes first, as it decides on the name as well.
    private static let headerBytes = 4

    private(set) var key: [UInt8] = [0, 0, 0, 0]

    var count: Int { key.count }

    mutating func removeAll() {
        key.removeLast(key.count - Self.headerBytes)
    }

    @inline(__always)
    mutating func append(_ value: UnsafeRawBufferPointer, field: Int) {
        key.append(UInt8(truncatingIfNeeded: field))
        key.append(UInt8(truncatingIfNeeded: value.count >> 8))
        key.append(UInt8(truncatingIfNeeded: value.count))
        key.append(contentsOf: value)
    }

    /// Adds the rest of what tells one origin from another.
    mutating func finish(rule: Int, _ cursor: JournalCursor) {
        withUnsafeBytes(of: UInt32(rule)) { key.replaceSubrange(0..<Self.headerBytes, with: $0) }
        let ids = (cursor.bootID, cursor.seqnumID)
        withUnsafeBytes(of: ids) { append($0, field: 0xFF) }
    }

    /// In the order in which the entry has them; with invalid UTF-8 repaired.
    func values(of field: Int) -> [String] {
        var values: [String] = []
        var offset = Self.headerBytes
        while offset + 3 <= key.count {
            let count = Int(key[offset + 1]) << 8 | Int(key[offset + 2])
            let end = offset + 3 + count
            if key[offset] == UInt8(field) { values.append(String(decoding: key[offset + 3..<end], as: UTF8.self)) }
            offset = end
        }
        return values
    }
}
