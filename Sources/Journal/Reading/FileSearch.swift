import Model

/// Finds one entry in a journal file.
struct FileSearch<Source: ByteSource>: ~Copyable {
    private let source: Source
    private let header: FileHeader
    private let end: UInt64
    private var window = FileWindow(bytes: 16 << 10)
    private var arrays: EntryArrays

    /// - Parameter end: how long the file was after `header` had been read.
    init(_ source: Source, _ header: FileHeader, end: UInt64) {
        self.source = source
        self.header = header
        self.end = end
        arrays = EntryArrays(header)
    }

    /// Whether the entry of that number is in the file, if it was not deleted.
    static func isNumbered(_ cursor: JournalCursor, _ header: FileHeader) -> Bool {
        header.seqnumID == cursor.seqnumID && header.headSeqnum <= cursor.seqnum && cursor.seqnum <= header.tailSeqnum
    }

    /// - Returns: the entry, whatever number it has; `nil` when the file does not have it.
    mutating func entry(_ cursor: JournalCursor) throws(FormatError) -> EntryHead? {
        guard Self.isNumbered(cursor, header) else {
            return try search(cursor) { $0.realtimeMicroseconds < cursor.realtimeMicroseconds }
        }
        if let entry = try search(cursor, isBefore: { $0.seqnum < cursor.seqnum }) { return entry }
        return try walk(to: cursor)
    }

    private func isSame(_ entry: EntryHead, _ cursor: JournalCursor) -> Bool {
        entry.cursor(header.seqnumID).isSameEntry(as: cursor)
    }

    /// By the arrays, where numbers ascend, and times, if the clock was not set.
    private mutating func search(
        _ cursor: JournalCursor, isBefore: (EntryHead) -> Bool
    ) throws(FormatError) -> EntryHead? {
        var (low, high) = (UInt64(0), header.entryCount)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = try entry(at: middle) else { return nil }
            if isBefore(entry) { low = middle + 1 } else { high = middle }
        }
        // Entries of one time may be many.
        while low < header.entryCount, let entry = try entry(at: low),
            entry.realtimeMicroseconds == cursor.realtimeMicroseconds
        {
            if isSame(entry, cursor) { return entry }
            low += 1
        }
        return nil
    }

    /// From the first entry on, around damage.
    private func walk(to cursor: JournalCursor) throws(FormatError) -> EntryHead? {
        var reading = FileReading(source, number: 0, header, end: end, windowBytes: 64 << 10)
        while true {
            switch try reading.next() {
            case .end: return nil
            case .lost: continue
            case .entry(let entry): if isSame(entry, cursor) { return entry }
            }
        }
    }

    private mutating func entry(at index: UInt64) throws(FormatError) -> EntryHead? {
        guard let place = try arrays.offset(ofEntry: index, source, end: end), place % 8 == 0, place < end,
            end - place >= UInt64(EntryHead.bytes), try window.hold(place, EntryHead.bytes, of: source),
            let head = window.with(place, EntryHead.bytes, { ObjectHead($0) }), head.kind == .entry,
            head.size <= end - place, try window.hold(place, Int(head.size), of: source)
        else { return nil }
        return window.with(place, Int(head.size)) { EntryHead($0, at: place) }
    }

    /// Reads all fields of an entry, in the order of the file.
    /// - Parameters:
    ///   - limit: of the bytes of one field with its name.
    ///   - body: gets each field, and whether it is longer than that.
    /// - Returns: how many could not be read.
    mutating func forEachField(
        of entry: EntryHead, limit: Int, _ body: (UnsafeRawBufferPointer, _ isCut: Bool) -> Void
    ) throws(FormatError) -> Int {
        guard try window.hold(entry.offset, entry.size, of: source) else { return 0 }
        let layout = header.layout
        let count = (entry.size - EntryHead.bytes) / layout.entryItemBytes
        let offsets = window.with(entry.offset, entry.size) { object in
            (0..<count).map { layout.offset(object, at: EntryHead.bytes + $0 * layout.entryItemBytes) }
        }
        var fields = FieldReader()
        var damaged = 0
        for offset in offsets {
            do throws(FieldReader.Failure) {
                _ = try fields.read(
                    source, &window, header, at: offset, end: end, limit: limit, isWanted: { _ in true },
                    body: { field, isCut in field.withUnsafeBytes { body($0, isCut) } })
            } catch {
                if case .file(let error) = error { throw error }
                damaged += 1
            }
        }
        return damaged
    }
}
