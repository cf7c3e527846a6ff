/// The output of a `JSONWriter` in pieces. A large value that the writer kept is encoded one part at a time, so that it
/// is never in memory twice and no call takes long.
package struct JSONPieces: Sendable, Sequence, IteratorProtocol {
    /// The number of bytes of a kept value that go into one piece; escaped they are at most six times as many.
    package static let partBytes = 16 << 10

    private var bytes: [UInt8]
    private var kept: ArraySlice<JSONWriter.Kept>
    /// The offset in `bytes` up to which the output was returned.
    private var place = 0
    /// The offset in the first kept value up to which it was returned.
    private var valuePlace = 0

    package init(_ writer: JSONWriter) {
        bytes = writer.bytes
        kept = writer.kept[...]
    }

    /// The whole output, if no value was kept.
    package var text: [UInt8]? { kept.isEmpty && place == 0 ? bytes : nil }

    /// Returns the next piece; `nil` after the last one.
    package mutating func next() -> [UInt8]? {
        guard let first = kept.first else {
            guard place < bytes.count else { return nil }
            defer { bytes = [] }
            return place == 0 ? bytes : Array(bytes[place...])
        }
        if place < first.place {
            defer { place = first.place }
            return Array(bytes[place..<first.place])
        }
        let end = first.value.end(from: valuePlace, count: Self.partBytes)
        var part = JSONWriter()
        part.append(first.value, valuePlace..<end)
        valuePlace = end
        if end == first.value.bytes.count {
            kept.removeFirst()
            // A slice would keep the value in memory until the last one is done.
            kept = Array(kept)[...]
            valuePlace = 0
        }
        return part.bytes
    }
}
