/// A list of arrays with the offsets of entries in order, either all entries of a file or those that have one field.
/// Each array is about as long as all previous ones together.
/// - Source: https://systemd.io/JOURNAL_FILE_FORMAT/#entry-array-objects
struct EntryArrays: ~Copyable {
    private struct Part {
        /// The index, from 0, of the entry in its first item.
        var first: UInt64
        var count: UInt64
        /// The offset of its first item.
        var offset: UInt64
    }

    private static let headBytes = 24
    private static let windowBytes = 256
    /// Each array is about as long as all before it, so an undamaged file has a few dozen at most.
    private static let maximumParts = 4096

    private let layout: FileLayout
    private var parts: [Part] = []
    /// The offset of the array after the known parts; 0 when there is none yet.
    private var next: UInt64
    private var window = FileWindow(bytes: windowBytes)

    /// Creates the list of all entries.
    init(_ header: FileHeader) {
        self.init(first: header.entryArray, header.layout)
    }

    /// - Parameter first: the offset of the first array.
    init(first: UInt64, _ layout: FileLayout) {
        self.layout = layout
        next = first
    }

    /// Allows for arrays that were added to the file since.
    mutating func forget(_ header: FileHeader) {
        window.forget()
        // The last part has the offset of the next one only once that exists.
        if next == 0, let last = parts.popLast() { next = last.offset - UInt64(Self.headBytes) }
        if parts.isEmpty, next == 0 { next = header.entryArray }
    }

    /// - Returns: the offset of the entry in the arrays; `nil` when damage has made them shorter.
    @inline(__always)
    mutating func offset(
        ofEntry index: UInt64, _ source: borrowing some ByteSource, end: UInt64
    ) throws(FormatError) -> UInt64? {
        guard let part = try part(of: index, source, end: end) else { return nil }
        let place = part.offset + (index - part.first) * UInt64(layout.arrayItemBytes)
        guard try window.hold(place, layout.arrayItemBytes, of: source) else { return nil }
        return window.with(place, layout.arrayItemBytes) { layout.offset($0, at: 0) }
    }

    @inline(__always)
    private mutating func part(
        of index: UInt64, _ source: borrowing some ByteSource, end: UInt64
    ) throws(FormatError) -> Part? {
        if let last = parts.last, index >= last.first, index - last.first < last.count { return last }
        return try findPart(of: index, source, end: end)
    }

    private mutating func findPart(
        of index: UInt64, _ source: borrowing some ByteSource, end: UInt64
    ) throws(FormatError) -> Part? {
        while next != 0, parts.last.map({ index >= $0.first + $0.count }) ?? true {
            guard try addPart(source, end: end) else { return nil }
        }
        return parts.last { index >= $0.first && index - $0.first < $0.count }
    }

    /// - Returns: whether there is such a part and it seems undamaged.
    private mutating func addPart(_ source: borrowing some ByteSource, end: UInt64) throws(FormatError) -> Bool {
        let place = next
        // Each part must come after the previous one, so that damage cannot cause a loop.
        guard place % 8 == 0, place < end, place >= (parts.last?.offset ?? 0),
            try window.hold(place, Self.headBytes, of: source),
            let head = window.with(place, ObjectHead.bytes, { ObjectHead($0) }), head.kind == .entryArray,
            head.size <= end - place, head.size >= UInt64(Self.headBytes + layout.arrayItemBytes),
            parts.count < Self.maximumParts
        else { return false }
        next = window.with(place, Self.headBytes) { $0.uint64(at: ObjectHead.bytes) }
        parts.append(
            Part(
                first: parts.last.map { $0.first + $0.count } ?? 0,
                count: (head.size - UInt64(Self.headBytes)) / UInt64(layout.arrayItemBytes),
                offset: place + UInt64(Self.headBytes)))
        return true
    }
}
