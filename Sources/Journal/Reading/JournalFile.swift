import Glibc
import Model

/// A file of a journal: what it has, how far it was read, and while it is read, the parts of it that are in memory.
final class JournalFile {
    /// Rotation renames files.
    private(set) var path: String
    /// Whether it has no name any more.
    var isDeleted = false
    /// Why it cannot be read for now.
    var problem: FormatError?
    /// As it was when it was looked at last.
    private(set) var header: FileHeader
    /// Whether nothing is written to it any more: it has the name of an archived file, and was looked at since then.
    private(set) var isComplete = false
    private(set) var place = EntryWalk.Place()
    /// When the entry that comes next was written, in microseconds since 1970: exactly where the file is being read, else
    /// not later than this.
    private(set) var nextTime: UInt64
    let number: UInt16
    private var file: OpenFile?
    private var reading: FileReading<OpenFile>?
    private var next: EntryHead?
    /// The entry that was read last.
    private var last: FilePosition.Last?

    /// What could not be read of a file.
    struct Loss: Hashable, Sendable {
        enum Cause: Hashable, Sendable {
            /// The file was deleted before it was read to its end.
            case deleted
            case damaged
        }

        var cause: Cause
        /// As many entries.
        var count: UInt64
        /// Where in the file it was.
        var range: Range<UInt64>
    }

    /// - Parameter number: that no other file has which is read at the same time.
    /// - Throws: `FormatError` for what is no journal file that can be read.
    init(_ path: String, number: UInt16) throws(FormatError) {
        self.path = path
        self.number = number
        let file = try OpenFile(path: path)
        do {
            header = try file.header()
        } catch {
            file.close()
            throw error
        }
        self.file = file
        isComplete = Self.isArchived(path)
        nextTime = header.headRealtimeMicroseconds
    }

    deinit { file?.close() }

    /// How far it was read.
    var position: FilePosition {
        FilePosition(fileID: header.fileID, entries: place.count, offset: place.offset, last: last)
    }

    /// Entries that the header counts and that were not read yet.
    var unread: UInt64 { header.entryCount - min(header.entryCount, place.count) }
    var isBeingRead: Bool { reading != nil }
    var isOpen: Bool { file != nil }

    /// - Parameter last: what lies before the place.
    func go(to place: EntryWalk.Place, behind last: FilePosition.Last?) {
        reading = nil
        next = nil
        self.place = place
        self.last = last
        nextTime = max(nextTime, last?.cursor.realtimeMicroseconds ?? 0)
    }

    /// Rotation has given the file another name.
    func rename(to path: String) {
        guard path != self.path else { return }
        self.path = path
        isDeleted = false
        isComplete = false
    }

    /// The file, opened if it is not open.
    /// - Throws: `FormatError`, also when another file has the name by now.
    func open() throws(FormatError) -> OpenFile {
        if let file { return file }
        let opened = try OpenFile(path: path)
        do throws(FormatError) {
            guard try opened.header().fileID == header.fileID else { throw .replaced }
        } catch {
            opened.close()
            throw error
        }
        file = opened
        return opened
    }

    /// Gives the descriptor back, and what is in memory. The place stays.
    func close() {
        reading = nil
        next = nil
        file?.close()
        file = nil
    }

    /// Looks how many entries the file has by now.
    func look() throws(FormatError) {
        guard !isComplete else { return }
        let isArchived = Self.isArchived(path)
        let file = try open()
        let header = try file.header()
        isComplete = isArchived
        // What was read before the header may be older than what it counts.
        guard header.entryCount != self.header.entryCount else { return }
        self.header = header
        try reading?.refresh(header, end: file.size())
    }

    /// Names of archived files have an `@`; those of files that were found damaged, or not closed, end with `~`.
    static func isArchived(_ path: String) -> Bool {
        path.hasSuffix("~") || path.split(separator: "/").last?.contains("@") == true
    }

    /// Counts all that was not read as lost.
    func giveUp() -> Loss {
        let loss = loss(unread, place.offset..<max(place.offset, header.headerBytes &+ header.arenaBytes))
        close()
        place.count = header.entryCount
        return loss
    }

    private func loss(_ count: UInt64, _ range: Range<UInt64>) -> Loss {
        Loss(cause: isDeleted ? .deleted : .damaged, count: count, range: range)
    }

    /// Goes to the entry that comes next.
    /// - Parameter windowBytes: how much of the file is in memory at a time, if it is not being read yet.
    /// - Returns: what could not be read before it.
    func advance(windowBytes: Int) throws(FormatError) -> [Loss] {
        if reading == nil {
            let file = try open()
            reading = FileReading(
                file, number: number, header, end: try file.size(), from: place, windowBytes: windowBytes)
        }
        var losses: [Loss] = []
        try advance(&losses)
        return losses
    }

    @inline(__always)
    private func advance(_ losses: inout [Loss]) throws(FormatError) {
        while next == nil, let step = try reading?.next() {
            switch step {
            case .entry(let entry):
                next = entry
                nextTime = entry.realtimeMicroseconds
            case .lost(let count, let range):
                losses.append(loss(count, range))
                place = reading?.walk.place ?? place
            case .end:
                // What is in memory is not needed until there is more.
                reading = nil
            }
        }
    }

    /// Reads entries up to one that is newer than `until`, or until the batch is full.
    /// - Returns: what could not be read.
    func read(
        by entries: inout EntryReader, until: UInt64, limit: BatchLimit, into batch: inout EntryBatch
    ) throws(FormatError) -> [Loss] {
        var losses: [Loss] = []
        while let entry = next, entry.realtimeMicroseconds <= until, !batch.isFull(limit), reading != nil {
            let outcome = try entries.read(entry, of: &reading!, into: &batch)
            batch.entriesRead += 1
            last = FilePosition.Last(cursor: entry.cursor(header.seqnumID), offset: entry.offset)
            if outcome == .damaged { losses.append(loss(1, entry.offset..<entry.end)) }
            next = nil
            place = reading?.walk.place ?? place
            try advance(&losses)
        }
        return losses
    }
}

extension EntryBatch {
    func isFull(_ limit: BatchLimit) -> Bool {
        entriesRead >= limit.maximumEntriesRead || entries.count >= limit.maximumEvents
            || bytes.count >= limit.maximumEventBytes
    }
}
