/// A journal file that is being read: its entries in order, and its parts in memory.
struct FileReading<Source: ByteSource>: ~Copyable {
    /// The window size for fields that are far from the entry.
    private static var farBytes: Int { 512 }

    let source: Source
    /// Distinguishes its fields from those of other files while both are read.
    let number: UInt16
    private(set) var header: FileHeader
    /// The end of the file. No object extends beyond it.
    private(set) var end: UInt64
    private(set) var walk: EntryWalk
    var window: FileWindow
    var far: FileWindow
    /// Whether the file is being filled: behind what is there, zeros are in the place of objects that come later.
    private(set) var isBeingFilled: Bool
    /// The offset from which fields were written for the last entry.
    private(set) var newFrom: UInt64

    /// - Parameters:
    ///   - end: the size of the file after `header` was read.
    ///   - isBeingFilled: whether the last object was not there after `header` was read, and may still come.
    ///   - windowBytes: the most bytes of the file in memory.
    init(
        _ source: Source, number: UInt16, _ header: FileHeader, end: UInt64, from place: EntryWalk.Place = .init(),
        isBeingFilled: Bool = false, windowBytes: Int
    ) {
        self.source = source
        self.number = number
        self.header = header
        self.end = end
        self.isBeingFilled = isBeingFilled
        walk = EntryWalk(header, from: place)
        window = FileWindow(bytes: windowBytes)
        far = FileWindow(bytes: Self.farBytes)
        newFrom = walk.place.offset
    }

    /// Continues with what was written since. `header` must be read before anything that is read afterwards.
    mutating func refresh(_ header: FileHeader, end: UInt64, isBeingFilled: Bool) {
        self.header = header
        self.end = end
        self.isBeingFilled = isBeingFilled
        walk.refresh(header, &window)
        far.forget()
    }

    /// Returns the next of the entries that the header counts. Its object stays in the window until the next step.
    @inline(__always)
    mutating func next() throws(FormatError) -> EntryWalk.Step {
        newFrom = walk.place.offset
        return try walk.next(source, &window, entryCount: header.entryCount, end: end)
    }
}

extension FileReading {
    /// Whether something is written behind an entry: then all of the entry is, because files are copied from their beginning.
    mutating func isFollowed(_ entry: EntryHead) throws(FormatError) -> Bool {
        guard try far.hold(entry.end, 8, of: source) else { return false }
        return far.with(entry.end, 8) { $0.uint64(at: 0) != 0 }
    }

    /// Returns the entry with that index, which is then in the window; `nil` when it cannot be found because of damage.
    mutating func entry(_ index: UInt64) throws(FormatError) -> EntryHead? {
        try walk.entry(index, source, &window, end: end)
    }

    /// Searches entries that are sorted, with the arrays.
    /// - Returns: the index of the first entry that is not before the wanted place, or the number of entries when all
    ///   are; `nil` when damage hides an entry that had to be compared.
    mutating func firstIndex(notBefore isBefore: (EntryHead) -> Bool) throws(FormatError) -> UInt64? {
        var (low, high) = (UInt64(0), header.entryCount)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = try entry(middle) else { return nil }
            if isBefore(entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Calls `body` with a function that returns the offset of each field of an entry.
    /// - Returns: `false` when the file no longer has the entry.
    @inline(__always)
    mutating func withItems(of entry: EntryHead, _ body: ((Int) -> UInt64) -> Void) throws(FormatError) -> Bool {
        guard try window.hold(entry.offset, entry.size, of: source) else { return false }
        window.with(entry.offset, entry.size) { object in body { walk.item($0, of: object) } }
        return true
    }

    /// Returns the offsets of an entry's fields; `nil` when the file no longer has the entry.
    mutating func items(of entry: EntryHead) throws(FormatError) -> [UInt64]? {
        var items: [UInt64] = []
        let count = walk.itemCount(of: entry)
        return try withItems(of: entry) { item in items = (0..<count).map(item) } ? items : nil
    }

    /// Calls `body` with a field of an entry as it is in the entry's window, not verified.
    /// - Returns: `nil` when the field is not completely in the window, is not a field, or is compressed.
    @inline(__always)
    func withField<Value>(at offset: UInt64, _ body: (UnsafeRawBufferPointer) -> Value?) -> Value? {
        let headBytes = header.layout.dataHeadBytes
        guard offset % 8 == 0, window.contains(offset, headBytes),
            let head = window.with(offset, ObjectHead.bytes, { ObjectHead($0) }), head.kind == .data,
            head.flags & 7 == 0, head.size > UInt64(headBytes), head.size <= UInt64(window.capacity),
            window.contains(offset, Int(head.size))
        else { return nil }
        return window.with(offset, Int(head.size)) { object in
            object.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[headBytes...])) }
        }
    }

    /// Reads a field of an entry, from the entry's window if it is completely there, otherwise from the file.
    /// - Parameters and result: See `FieldReader.read`.
    @inline(__always)
    mutating func read<Value>(
        at offset: UInt64, by fields: inout FieldReader, limit: Int, isWanted: (RawSpan) -> Bool,
        body: (RawSpan, _ isCut: Bool) -> Value
    ) throws(FieldReader.Failure) -> Value? {
        if window.contains(offset, ObjectHead.bytes),
            let head = window.with(offset, ObjectHead.bytes, { ObjectHead($0) }), head.size <= UInt64(window.capacity),
            window.contains(offset, Int(head.size))
        {
            return try fields.read(
                source, &window, header, at: offset, end: end, limit: limit, isWanted: isWanted, body: body)
        }
        return try fields.read(source, &far, header, at: offset, end: end, limit: limit, isWanted: isWanted, body: body)
    }

    /// Whether each field of the file's last entry refers to it as the last entry that has the field. journald counts
    /// an entry before it writes these references. If the file is full by then, journald leaves the entry and writes it
    /// again into the next file.
    mutating func isLinked(_ entry: EntryHead) throws(FormatError) -> Bool {
        guard let fields = try items(of: entry) else { return false }
        for field in fields {
            guard try far.hold(field, FieldLinks.bytes, of: source) else { return false }
            let links = far.with(field, FieldLinks.bytes) { FieldLinks($0) }
            var last: UInt64? = links.firstEntry
            if links.count > 1 {
                var others = EntryArrays(first: links.array, header.layout)
                last = try others.offset(ofEntry: links.count - 2, source, end: end)
            }
            guard links.count > 0, last == entry.offset else { return false }
        }
        return true
    }
}

/// The references from a field to the entries that have it.
private struct FieldLinks {
    static let bytes = 64

    var firstEntry: UInt64
    /// The offset of the first array with the other entries.
    var array: UInt64
    var count: UInt64

    init(_ object: RawSpan) {
        firstEntry = object.uint64(at: 40)
        array = object.uint64(at: 48)
        count = object.uint64(at: 56)
    }
}
