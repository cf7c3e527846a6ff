/// Cuts a stream of bytes into lines, holding no more than the line that is not complete yet.
package struct LineSplitter: Sendable {
    /// A line is longer than the limit.
    package struct TooLong: Error, CustomStringConvertible {
        let limit: Int

        package var description: String { "a line is longer than \(Quantity.bytes(limit))" }
    }

    private let limit: Int
    private var unfinished: [UInt8] = []

    package init(limit: Int) {
        self.limit = limit
    }

    /// Hands each line that `bytes` completes to `body`, without its line feed.
    /// - Throws: `TooLong`, and what `body` throws.
    package mutating func feed(_ bytes: some Sequence<UInt8>, _ body: ([UInt8]) throws -> Void) throws {
        try bytes.withContiguousStorageIfAvailable { try feed(buffer: $0, body) } ?? feed(Array(bytes), body)
    }

    /// The last line, where it did not end with a line feed.
    package mutating func finish() -> [UInt8]? {
        defer { unfinished = [] }
        return unfinished.isEmpty ? nil : unfinished
    }

    private mutating func feed(buffer: UnsafeBufferPointer<UInt8>, _ body: ([UInt8]) throws -> Void) throws {
        var rest = buffer[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try append(rest[..<end])
            rest = rest[(end + 1)...]
            let line = unfinished
            unfinished = []
            try body(line)
        }
        try append(rest)
    }

    private mutating func append(_ part: Slice<UnsafeBufferPointer<UInt8>>) throws {
        guard unfinished.count + part.count <= limit else { throw TooLong(limit: limit) }
        unfinished.append(contentsOf: part)
    }
}
