/// The arrays that name entries in order, all of a file or those that have one field, each about as long again as all before
/// it.
/// - Source: https://systemd.io/JOURNAL_FILE_FORMAT/#entry-array-objects
struct EntryArrays: ~Copyable {
    private struct Part {
        /// Of the entry that its first item names, counted from 0.
        var first: UInt64
        var count: UInt64
        /// Of its first item.
        var offset: UInt64
    }

    private static let headBytes = 24
    private static let windowBytes = 256
    /// Each is about as long as all before it: those of undamaged files are a few dozen.
    private static let maximumParts = 4096

    private let layout: FileLayout
    private var parts: [Part] = []
    /// Behind the known parts; 0 when there is none yet.
    private var next: UInt64
    private var window = FileWindow(bytes: windowBytes)

    /// Of all entries.
    init(_ header: FileHeader) {
        self.init(first: header.entryArray, header.layout)
    }

    /// - Parameter first: where the first of them is.
    init(first: UInt64, _ layout: FileLayout) {
        self.layout = layout
        next = first
    }

    /// What the file had may have become more.
    mutating func forget(_ header: FileHeader) {
        window.forget()
        // The last part names the one behind it only once there is one.
        if next == 0, let last = parts.popLast() { next = last.offset - UInt64(Self.headBytes) }
        if parts.isEmpty, next == 0 { next = header.entryArray }
    }

    /// - Returns: where the entry is, as the arrays have it; `nil` when they are shorter, because of damage.
    @inline(__always)
    mutating func offset(
        ofEntry index: UInt64, _ source: borrowing some ByteSource, end: UInt64
    ) throws(FormatError) -> UInt64? {
        guard let part = try part(of: index, source, end: end) else { return nil }
        let place = part.offset + (index - part.first) * UInt64(layout.arrayItemBytes)
        // As many as there are in the part, but no more than the window holds.
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

    /// - Returns: whether there is such a part, undamaged as far as that can be seen.
    private mutating func addPart(_ source: borrowing some ByteSource, end: UInt64) throws(FormatError) -> Bool {
        let place = next
        // Each lies behind the one before, so that damage cannot lead in circles.
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
