import Glibc

/// Splits a stream of bytes into lines. It keeps only the incomplete last line.
struct LineSplitter: Sendable {
    /// A line is longer than the limit.
    struct TooLong: Error, CustomStringConvertible {
        let limit: Int

        var description: String { "a line is longer than \(Quantity.bytes(limit))" }
    }

    private let limit: Int
    private var unfinished: [UInt8] = []
    /// Whether the current line is longer than the limit and is skipped.
    private var isPassingOver = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Passes each line that `bytes` completes to `body`, without its line feed.
    /// - Parameter tooLong: called with the beginning of a line that is longer than the limit. The rest of the line is
    ///   skipped, unless this throws.
    /// - Throws: the errors of `body` and `tooLong`.
    mutating func feed(
        _ bytes: ArraySlice<UInt8>, tooLong: (TooLong, [UInt8]) throws -> Void = { error, _ in throw error },
        _ body: ([UInt8]) throws -> Void
    ) throws {
        try bytes.withUnsafeBufferPointer { buffer in
            var rest = buffer[...]
            while let length = rest.lengthOfLine {
                try append(rest.prefix(length), tooLong)
                rest = rest.dropFirst(length + 1)
                let line = unfinished
                unfinished = []
                if !isPassingOver { try body(line) }
                isPassingOver = false
            }
            try append(rest, tooLong)
        }
    }

    /// Returns the last line, if it does not end with a line feed.
    mutating func finish() -> [UInt8]? {
        defer { unfinished = [] }
        return unfinished.isEmpty ? nil : unfinished
    }

    private mutating func append(
        _ part: Slice<UnsafeBufferPointer<UInt8>>, _ tooLong: (TooLong, [UInt8]) throws -> Void
    ) throws {
        guard !isPassingOver else { return }
        guard unfinished.count + part.count <= limit else {
            let beginning = Array((unfinished.prefix(1024) + part.prefix(1024)).prefix(1024))
            unfinished = []
            isPassingOver = true
            return try tooLong(TooLong(limit: limit), beginning)
        }
        unfinished.append(contentsOf: part)
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The number of bytes before the first line feed; `nil` if there is none.
    var lengthOfLine: Int? {
        guard let start = base.baseAddress, let end = memchr(start + startIndex, 0x0A, count) else { return nil }
        return UnsafeRawPointer(end) - UnsafeRawPointer(start + startIndex)
    }
}
