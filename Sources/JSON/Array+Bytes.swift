internal import Glibc

extension [UInt8] {
    /// Appends bytes that `body` writes directly into the buffer's uninitialized memory.
    /// - Parameter body: returns the number of bytes that it wrote, from the beginning.
    @inlinable
    package mutating func append(
        upTo most: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Int
    ) rethrows {
        try append(addingCapacity: most) { span in
            try span.withUnsafeMutableBufferPointer { buffer, count in
                count = try body(UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    /// Compares all bytes with one call.
    package func hasSameBytes(as other: ArraySlice<UInt8>) -> Bool {
        count == other.count
            && withUnsafeBytes { bytes in
                other.withUnsafeBytes { other in
                    guard let start = bytes.baseAddress, let otherStart = other.baseAddress else { return true }
                    return memcmp(start, otherStart, bytes.count) == 0
                }
            }
    }
}
