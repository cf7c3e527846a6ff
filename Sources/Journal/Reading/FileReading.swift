/// A journal file that is being read: its entries in order, and the parts of it that are in memory.
struct FileReading<Source: ByteSource>: ~Copyable {
    /// Of fields that lie far from the entry.
    private static var farBytes: Int { 512 }

    let source: Source
    /// Tells its fields from those of other files while both are read.
    let number: UInt16
    private(set) var header: FileHeader
    /// Of the file. No object reaches beyond.
    private(set) var end: UInt64
    private(set) var walk: EntryWalk
    var window: FileWindow
    var far: FileWindow
    /// What the last entry refers to from here on was written for it.
    private(set) var newFrom: UInt64

    /// - Parameters:
    ///   - end: how long the file was after `header` had been read.
    ///   - windowBytes: how much of the file is read at a time.
    init(
        _ source: Source, number: UInt16, _ header: FileHeader, end: UInt64, from place: EntryWalk.Place = .init(),
        windowBytes: Int
    ) {
        self.source = source
        self.number = number
        self.header = header
        self.end = end
        walk = EntryWalk(header, from: place)
        window = FileWindow(bytes: windowBytes)
        far = FileWindow(bytes: Self.farBytes)
        newFrom = walk.place.offset
    }

    /// Takes up what was written since. `header` was read before anything that is read from now on.
    mutating func refresh(_ header: FileHeader, end: UInt64) {
        self.header = header
        self.end = end
        walk.refresh(header, &window)
        far.forget()
    }

    /// The next entry, of those that the header counts. Its object is in the window until the next step.
    @inline(__always)
    mutating func next() throws(FormatError) -> EntryWalk.Step {
        newFrom = walk.place.offset
        return try walk.next(source, &window, entryCount: header.entryCount, end: end)
    }
}

extension FileReading {
    /// The entry of that index, which is in the window then; `nil` when damage hides it.
    mutating func entry(_ index: UInt64) throws(FormatError) -> EntryHead? {
        try walk.entry(index, source, &window, end: end)
    }

    /// Finds a place in entries that are in order, by the arrays.
    /// - Returns: the index of the first entry that is not before it, and the number of entries when all are; `nil` when
    ///   damage hides one that had to be asked.
    mutating func firstIndex(notBefore isBefore: (EntryHead) -> Bool) throws(FormatError) -> UInt64? {
        var (low, high) = (UInt64(0), header.entryCount)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = try entry(middle) else { return nil }
            if isBefore(entry) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Gives a body that tells where each field of an entry is.
    /// - Returns: `false` when the file does not have the entry any more.
    @inline(__always)
    mutating func withItems(of entry: EntryHead, _ body: ((Int) -> UInt64) -> Void) throws(FormatError) -> Bool {
        guard try window.hold(entry.offset, entry.size, of: source) else { return false }
        window.with(entry.offset, entry.size) { object in body { walk.item($0, of: object) } }
        return true
    }

    /// Where the fields of an entry are; `nil` when the file does not have it any more.
    mutating func items(of entry: EntryHead) throws(FormatError) -> [UInt64]? {
        var items: [UInt64] = []
        let count = walk.itemCount(of: entry)
        return try withItems(of: entry) { item in items = (0..<count).map(item) } ? items : nil
    }

    /// Gives a body a field of an entry as it lies in the window of the entry, not verified.
    /// - Returns: `nil` when it is not there whole, or is no field, or compressed.
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

    /// Reads a field of an entry: from the window of the entry, if it is whole there, else from where it is.
    /// - Parameters and result: as `FieldReader.read` has them.
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

    /// Whether each field of the file's last entry names it as the last that has it. journald counts an entry before it does
    /// that; when it has no room left meanwhile, it leaves the entry and writes it once more, into the next file.
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

/// Which entries have a field.
private struct FieldLinks {
    static let bytes = 64

    var firstEntry: UInt64
    /// The first array of the others.
    var array: UInt64
    var count: UInt64

    init(_ object: RawSpan) {
        firstEntry = object.uint64(at: 40)
        array = object.uint64(at: 48)
        count = object.uint64(at: 56)
    }
}
