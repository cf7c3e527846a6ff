extension [UInt8] {
    /// Appends what somebody writes who wants memory to write to; nothing else fills it before.
    /// - Parameter body: returns how many bytes it wrote, from the beginning.
    mutating func append(
        upTo most: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Int
    ) rethrows {
        try append(addingCapacity: most) { span in
            try span.withUnsafeMutableBufferPointer { buffer, count in
                count = try body(UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }
}
