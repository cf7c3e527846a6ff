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
}
