import Model

/// Finds one entry in a journal file.
struct FileSearch<Source: ByteSource>: ~Copyable {
    private var reading: FileReading<Source>
    private let entryKey: ID128

    /// - Parameter end: the size of the file after `header` was read.
    init(_ source: Source, _ header: FileHeader, end: UInt64, _ entryKey: ID128) {
        self.entryKey = entryKey
        reading = FileReading(source, number: 0, header, end: end, windowBytes: 16 << 10)
    }

    /// Whether the file should have the entry with that number.
    static func isNumbered(_ cursor: JournalCursor, _ header: FileHeader) -> Bool {
        header.seqnumID == cursor.seqnumID && header.headSeqnum <= cursor.seqnum && cursor.seqnum <= header.tailSeqnum
    }

    /// - Parameter walks: whether all entries are examined if the arrays do not lead to the one that should be there.
    /// - Returns: the entry, under any number; `nil` when the file does not have it.
    mutating func entry(_ place: EntryPlace, walks: Bool) throws(FormatError) -> EntryHead? {
        let isNumbered = Self.isNumbered(place.cursor, reading.header)
        if isNumbered, let entry = try search(place, isBefore: { $0.seqnum < place.cursor.seqnum }) { return entry }
        // The flush of newer versions of journald gives an entry another number of the same counter.
        if let entry = try search(place, isBefore: { $0.realtimeMicroseconds < place.cursor.realtimeMicroseconds }) {
            return entry
        }
        return isNumbered && walks ? try walk(to: place) : nil
    }

    private func isSame(_ entry: EntryHead, _ place: EntryPlace) -> Bool {
        // The hash is of the boot and the times, too.
        entry.hash(entryKey) == place.entryHash
    }

    /// Searches with the arrays, which works as long as numbers ascend and, unless the clock was set, times.
    private mutating func search(
        _ place: EntryPlace, isBefore: (EntryHead) -> Bool
    ) throws(FormatError) -> EntryHead? {
        guard var index = try reading.firstIndex(notBefore: isBefore) else { return nil }
        // There may be many entries of one time.
        while index < reading.header.entryCount, let entry = try reading.entry(index),
            entry.realtimeMicroseconds == place.cursor.realtimeMicroseconds
        {
            if isSame(entry, place) { return entry }
            index += 1
        }
        return nil
    }

    /// Searches from the first entry on, around damage.
    private mutating func walk(to place: EntryPlace) throws(FormatError) -> EntryHead? {
        while true {
            switch try reading.next() {
            case .end: return nil
            case .lost: continue
            case .entry(let entry): if isSame(entry, place) { return entry }
            }
        }
    }

    /// Reads all fields of an entry, in the order of the file.
    /// - Parameters:
    ///   - limit: the most bytes of one field with its name.
    ///   - isWanted: receives the beginning of a field, before the rest is read.
    ///   - body: receives each field that is wanted, and whether it is longer than that.
    /// - Returns: how many fields could not be read; one if the entry is gone.
    mutating func forEachField(
        of entry: EntryHead, limit: Int, isWanted: (RawSpan) -> Bool = { _ in true },
        _ body: (UnsafeRawBufferPointer, _ isCut: Bool) -> Void
    ) throws(FormatError) -> Int {
        guard let offsets = try reading.items(of: entry) else { return 1 }
        var fields = FieldReader()
        var damaged = entry.isDamaged ? 1 : 0
        for offset in offsets {
            do throws(FieldReader.Failure) {
                _ = try reading.read(
                    at: offset, by: &fields, limit: limit, isWanted: isWanted,
                    body: { field, isCut in field.withUnsafeBytes { body($0, isCut) } })
            } catch {
                if case .file(let error) = error { throw error }
                damaged += 1
            }
        }
        return damaged
    }
}
