/// What a `JSONWriter` wrote, in pieces: a large value that it kept is written a part at a time, so that nobody holds it
/// twice, and nobody is occupied with it for long.
package struct JSONPieces: Sendable, Sequence, IteratorProtocol {
    /// Of a kept value, the bytes that one piece is made of; escaped they are at most six times as many.
    package static let partBytes = 16 << 10

    private var bytes: [UInt8]
    private var kept: ArraySlice<JSONWriter.Kept>
    /// How far `bytes` was handed out.
    private var place = 0
    /// How far the first kept value was.
    private var valuePlace = 0

    package init(_ writer: JSONWriter) {
        bytes = writer.bytes
        kept = writer.kept[...]
    }

    /// All of it, where nothing was kept.
    package var text: [UInt8]? { kept.isEmpty && place == 0 ? bytes : nil }

    /// `nil` behind the last one.
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
            // A slice would hold the value as long as the rest.
            kept = Array(kept)[...]
            valuePlace = 0
        }
        return part.bytes
    }
}
