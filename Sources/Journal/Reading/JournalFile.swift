import Glibc
import Model

/// A file of a journal: what it has, how far it was read, and while it is read, the parts of it that are in memory.
final class JournalFile {
    /// Rotation renames files.
    private(set) var path: String {
        didSet { chainName = Self.chainName(path) }
    }
    private var chainName: String
    /// Whether it has no name any more. journald may go on writing to it.
    private(set) var isDeleted = false
    /// Whether another file has its name, or is by now the one that journald writes to instead.
    private var isReplaced = false
    /// In how many looks in a row it was not found.
    private var missedLooks = 0
    /// Why it cannot be read for now.
    var problem: FormatError?
    /// As it was when it was looked at last.
    private(set) var header: FileHeader
    /// Whether it has no more entries than the last look has shown: it had the name of an archived file by then, or was
    /// deleted and is not the one any more that journald writes to.
    private(set) var isComplete = false
    private var progress: FileProgress
    let number: UInt16
    private var file: OpenFile?

    /// - Parameter number: that no other file has which is read at the same time.
    /// - Throws: `FormatError` for what is no journal file that can be read.
    init(_ path: String, number: UInt16) throws(FormatError) {
        self.path = path
        chainName = Self.chainName(path)
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
        progress = FileProgress(nextTime: header.headRealtimeMicroseconds)
    }

    deinit { file?.close() }

    /// How far it was read.
    var position: FilePosition {
        FilePosition(
            fileID: header.fileID, path: path, machineID: header.machineID, seqnumID: header.seqnumID,
            entries: progress.place.count, offset: progress.place.offset, last: last,
            promisedEntries: header.entryCount,
            promisedSeqnums: header.seqnums)
    }

    private var last: FilePosition.Last? { progress.last(header) }

    /// - Returns: how far it was read, where that has changed since the last call.
    func takeChange() -> FilePosition? {
        defer { progress.noteSaved() }
        return progress.isChanged ? position : nil
    }

    /// Entries that the header counts and that were not read yet.
    var unread: UInt64 { header.entryCount - min(header.entryCount, progress.place.count) }
    var isBeingRead: Bool { progress.isReading }
    var isOpen: Bool { file != nil }
    /// A file's name without what rotation adds to it, and without its ending.
    static func chainName(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String((name.split(separator: "@").first ?? name).split(separator: ".journal").first ?? name)
    }

    /// - Parameter last: what lies before the place.
    func go(to place: EntryWalk.Place, behind last: FilePosition.Last?) {
        progress.go(to: place, behind: last)
    }

    /// Takes note of a look for files.
    /// - Parameters:
    ///   - isFound: whether it was there, by whatever name.
    ///   - isAtPath: whether nothing else is at its path.
    ///   - hasSuccessor: whether there is another one that journald may write to.
    func note(isFound: Bool, isAtPath: Bool, hasSuccessor: Bool) {
        missedLooks = isFound ? 0 : missedLooks + 1
        isReplaced = !isAtPath || hasSuccessor
        isDeleted = !isFound && isGone(isAtPath)
    }

    /// Whether it was deleted, and was read as far as it can be.
    var isDone: Bool { isDeleted && unread == 0 && (isComplete || !isOpen) }

    /// A file that is renamed while it is looked for is found by neither of its names: one that is open says itself
    /// whether it has one, another must be missed twice. One that cannot be looked at may be there.
    private func isGone(_ isAtPath: Bool) -> Bool {
        if let file, file.hasNoName { return true }
        guard missedLooks > 1 else { return false }
        return access(path, F_OK) == 0 ? !isAtPath : errno == ENOENT || errno == ENOTDIR
    }

    /// Rotation has given the file another name.
    func rename(to path: String) {
        guard path != self.path else { return }
        self.path = path
        progress.noteChange()
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
        progress.stop()
        file?.close()
        file = nil
    }

    /// Whether journald has gone on with this file: it writes to one of a name at a time.
    func isWrittenInstead(of other: JournalFile) -> Bool {
        self !== other && !isDeleted && !Self.isArchived(path) && header.machineID == other.header.machineID
            && chainName.isExactly(other.chainName)
    }

    /// Looks how many entries the file has by now.
    func look() throws(FormatError) {
        guard !isComplete else { return }
        let isLast = Self.isArchived(path) || isDeleted && isReplaced
        let file = try open()
        let header = try file.header()
        // Another one was written over it.
        guard header.fileID == self.header.fileID else {
            close()
            throw .replaced
        }
        isComplete = isLast || isDeleted && header.state == .archived
        // What was read before the header may be older than what it counts.
        guard header.entryCount != self.header.entryCount else { return }
        self.header = header
        progress.refresh(header, end: try file.size())
    }

    /// Takes the file to have no more entries than these, from now on.
    func end(at entries: UInt64) {
        isComplete = true
        header.entryCount = min(header.entryCount, entries)
    }

    /// Names of archived files have an `@`; those of files that were found damaged, or not closed, end with `~`.
    static func isArchived(_ path: String) -> Bool {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[$0...] } ?? path.utf8[...]
        return name.last == UInt8(ascii: "~") || name.contains(UInt8(ascii: "@"))
    }

    // MARK: Reading

    /// Begins to read where it was read to.
    /// - Parameters:
    ///   - windowBytes: how much of the file is in memory at a time.
    ///   - losses: gets what could not be read before the entry that comes next.
    func startReading(windowBytes: Int, _ losses: inout [FileLoss]) throws(FormatError) {
        let file = try open()
        try progress.start(
            FileReading(
                file, number: number, header, end: try file.size(), from: progress.place, windowBytes: windowBytes),
            &losses)
    }

    /// Reads entries, as `FileProgress` does.
    func read(
        by entries: inout EntryReader, _ chains: inout Chains, from start: UInt64, until: UInt64, limit: BatchLimit,
        into batch: inout EntryBatch, _ losses: inout [FileLoss]
    ) throws(FormatError) {
        try progress.read(
            chainName, by: &entries, &chains, from: start, until: until, limit: limit, into: &batch, &losses)
    }

    /// Leaves out the entry that comes next, as it was read before.
    func skip(_ chains: inout Chains, _ losses: inout [FileLoss]) throws(FormatError) {
        try progress.skip(chainName, &chains, &losses)
    }

    /// Counts all that was not read as lost.
    func giveUp() -> FileLoss? {
        close()
        return progress.giveUp(isDeleted ? .deleted : .damaged, header)
    }

    /// When the entry that comes next was written, in microseconds since 1970: exactly where the file is being read, else
    /// not later than this.
    var nextTime: UInt64 { progress.nextTime }

    /// The same; `.max` when there is none that can be read.
    var timeToRead: UInt64 { readable > 0 ? min(nextTime, FileProgress.latest) : .max }

    /// Entries that were not read yet and can be, as far as is known.
    var readable: UInt64 { problem == nil ? unread : 0 }

    /// Whether both have unread entries of the same time.
    func overlaps(_ other: JournalFile) -> Bool {
        nextTime <= other.header.tailRealtimeMicroseconds && other.nextTime <= header.tailRealtimeMicroseconds
    }

    /// Whether it begins with lower numbers of the same counter.
    func isBefore(_ other: JournalFile) -> Bool {
        header.seqnumID == other.header.seqnumID && header.headSeqnum < other.header.headSeqnum
    }

    /// The entry that comes next, if it is the file's first.
    var first: EntryHead? { progress.first }

    /// Whether its last entry is this one, and was left half-written because the file was full: then it comes once more, as
    /// the first of the next file, with the next number.
    func leaves(_ entry: EntryHead, _ other: FileHeader) throws(FormatError) -> Bool {
        guard let last, last.cursor.seqnum &+ 1 == entry.seqnum, header.seqnumID == other.seqnumID,
            header.machineID == other.machineID, unread == 0,
            last.cursor.isSameEntry(as: entry.cursor(other.seqnumID))
        else { return false }
        let file = try open()
        var reading = FileReading(
            file, number: 0, header, end: try file.size(),
            from: .init(offset: last.offset, count: progress.place.count - 1),
            windowBytes: 4096)
        guard case .entry(let written) = try reading.next() else { return false }
        return try !reading.isLinked(written)
    }
}
