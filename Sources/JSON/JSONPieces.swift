/// The output of a `JSONWriter` in pieces. A large value that the writer deferred is encoded one part at a time, so that it
/// is never in memory twice and no call takes long.
package struct JSONPieces: Sendable, Sequence, IteratorProtocol {
    /// The number of bytes of a deferred value that go into one piece; escaped they are at most six times as many.
    package static let partBytes = 16 << 10

    private var bytes: [UInt8]
    /// The values that were not returned yet, the next one last.
    private var deferred: [JSONWriter.Deferred]
    /// The offset in `bytes` up to which the output was returned.
    private var offset = 0
    /// The offset in the first deferred value up to which it was returned.
    private var valueOffset = 0

    package init(_ writer: JSONWriter) {
        bytes = writer.bytes
        deferred = writer.deferred.reversed()
    }

    /// The whole output, if no value was deferred.
    package var text: [UInt8]? { isText ? bytes : nil }

    private var isText: Bool { deferred.isEmpty && offset == 0 }

    /// Removes and returns the whole output, if no value was deferred. Nothing else has its memory then.
    package mutating func takeText() -> [UInt8]? {
        guard isText else { return nil }
        var text: [UInt8] = []
        swap(&text, &bytes)
        return text
    }

    /// Returns the next piece; `nil` after the last one.
    package mutating func next() -> [UInt8]? {
        guard let first = deferred.last else {
            guard offset < bytes.count else { return nil }
            defer { bytes = [] }
            return offset == 0 ? bytes : Array(bytes[offset...])
        }
        if offset < first.offset {
            defer { offset = first.offset }
            return Array(bytes[offset..<first.offset])
        }
        let end = first.value.end(from: valueOffset, count: Self.partBytes)
        var part = JSONWriter()
        part.append(first.value, valueOffset..<end)
        valueOffset = end
        if end == first.value.bytes.count {
            deferred.removeLast()
            valueOffset = 0
        }
        return part.bytes
    }
}
