import Model

extension JournalFile {
    /// Continues after the entries that were read earlier.
    /// - Returns: `false` when they are not in the file: it is an older copy, to which other entries may have been added since.
    func resume(at position: FilePosition) throws(FormatError) -> Bool {
        var place: EntryWalk.Place? = EntryWalk.Place(offset: position.offset, count: position.entries)
        let isShorter = header.entryCount < position.entries
        if let last = position.last {
            // What is behind the entries that a shorter file counts may be left from the longer one.
            if isShorter {
                place = try find(last.cursor, position)
            } else if try !holds(last) {
                place = try find(last.cursor, position)
            }
        } else if isShorter {
            place = nil
        }
        guard let place else { return false }
        entriesAtBegin = min(header.entryCount, position.promisedEntries)
        if place.count < entriesAtBegin {
            let file = try open()
            var reading = FileReading(file, number: 0, header, end: try file.size(), windowBytes: 4096)
            tailAtBegin = try reading.entry(entriesAtBegin - 1)?.realtimeMicroseconds ?? 0
        }
        go(to: place, behind: position.last)
        return true
    }

    private func holds(_ last: FilePosition.Last) throws(FormatError) -> Bool {
        var window = FileWindow(bytes: 4096)
        guard last.offset % 8 == 0, last.offset >= header.headerBytes,
            try window.hold(last.offset, EntryHead.bytes, of: open())
        else { return false }
        return window.with(last.offset, EntryHead.bytes) { object in
            guard let head = ObjectHead(object), head.kind == .entry else { return false }
            return EntryHead(object, at: last.offset).cursor(header.seqnumID) == last.cursor
        }
    }

    /// Finds the place to continue from when the last entry is not at its place, because it was damaged since or the
    /// file was assembled differently. The place is after the entry itself, or after the same number of entries if they
    /// end at the same offset, otherwise before the first entry that was not read: one with a higher number, or one that
    /// is lost after the same number of entries.
    /// - Returns: `nil` when the file does not go as far as it was read, or has another entry with that one's number,
    ///   or a later one with a lower number.
    private func find(_ cursor: JournalCursor, _ position: FilePosition) throws(FormatError) -> EntryWalk.Place? {
        let file = try open()
        var reading = FileReading(file, number: 0, header, end: try file.size(), windowBytes: 64 << 10)
        var last = EntryWalk.Place()
        var unread: EntryWalk.Place?
        var isReplaced = header.entryCount < position.entries || header.tailSeqnum < cursor.seqnum
        while true {
            switch try reading.next() {
            case .end: return isReplaced ? nil : unread ?? last
            case .lost:
                // What is not there yet is not lost: nobody knows which entry is the next.
                guard !file.isUnfinished(header) else { throw .unfinished }
                guard reading.walk.place.count > position.entries else { break }
                unread = unread ?? EntryWalk.Place(offset: last.offset, count: max(last.count, position.entries))
            case .entry(let entry):
                if entry.cursor(header.seqnumID) == cursor { return reading.walk.place }
                if entry.isOther(than: cursor), entry.seqnum == cursor.seqnum || entry.isLate(before: cursor) {
                    isReplaced = true
                }
                if entry.seqnum > cursor.seqnum { unread = unread ?? last }
            }
            last = reading.walk.place
            if !isReplaced, last.count == position.entries, last.offset == position.offset { return last }
        }
    }

    /// - Returns: `nil` when the arrays do not lead to an entry with that number.
    func entry(number: UInt64) throws(FormatError) -> JournalCursor? {
        let isClosed = !isOpen
        defer { if isClosed { close() } }
        let file = try open()
        var reading = FileReading(file, number: 0, header, end: try file.size(), windowBytes: 4096)
        guard let index = try reading.firstIndex(notBefore: { $0.seqnum < number }), index < header.entryCount,
            let entry = try reading.entry(index), entry.seqnum == number
        else { return nil }
        return entry.cursor(header.seqnumID)
    }
}

extension EntryHead {
    /// Whether it was written later than an entry with a higher number, which was there before.
    fileprivate func isLate(before cursor: JournalCursor) -> Bool {
        seqnum < cursor.seqnum && bootID == cursor.bootID && monotonicMicroseconds > cursor.monotonicMicroseconds
    }

    /// Whether it is certainly another entry, and not the same with a damaged part.
    fileprivate func isOther(than cursor: JournalCursor) -> Bool {
        realtimeMicroseconds != cursor.realtimeMicroseconds
            && (monotonicMicroseconds != cursor.monotonicMicroseconds || xorHash != cursor.xorHash)
    }
}
