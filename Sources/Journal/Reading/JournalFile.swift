import Glibc
import Model

/// A file of a journal: its content, how far it was read, and, while it is read, the parts of it that are in memory.
final class JournalFile {
    /// The current path; rotation renames files.
    private(set) var path: String {
        didSet { chainName = Self.chainName(path) }
    }
    private var chainName: String
    /// Whether the file has been deleted. journald may still write to it.
    private(set) var isDeleted = false
    /// Whether another file has its path, or is now the one that journald writes to instead.
    private var isReplaced = false
    /// The number of scans in a row that did not find it.
    private var missedScans = 0
    /// The reason why it cannot be read at the moment.
    var problem: FormatError?
    /// The header as it was last read.
    private(set) var header: FileHeader
    /// Whether its entries are all known: when its header was last read, it had the name of an archived file, or it was
    /// deleted and journald no longer wrote to it.
    private(set) var isComplete = false
    private var progress: FileProgress
    /// The number of entries that it had when reading it began, or was last saved; of these, those before the start are skipped.
    /// What is written later is new, whatever the clock says.
    var entriesAtBegin: UInt64 = 0
    /// When the last of these was written, in microseconds since 1970; 0 if there was none, or it is not known.
    var tailAtBegin: UInt64 = 0
    /// A number that no other file has. `nil` until it is read.
    var number: UInt16?
    private var file: OpenFile?

    /// - Throws: `FormatError` if it is not a journal file that can be read.
    init(_ path: String) throws(FormatError) {
        self.path = path
        chainName = Self.chainName(path)
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

    /// How far the file was read.
    var position: FilePosition {
        FilePosition(
            fileID: header.fileID, path: path, machineID: header.machineID, seqnumID: header.seqnumID,
            entries: progress.place.count, offset: progress.place.offset, last: last,
            promisedEntries: header.entryCount,
            promisedSeqnums: header.seqnums)
    }

    private var last: FilePosition.Last? { progress.last(header) }

    /// - Returns: how far the file was read, if that has changed since the last call.
    func takeChange() -> FilePosition? {
        defer { progress.noteSaved() }
        return progress.isChanged ? position : nil
    }

    /// The number of entries that the header counts and that were not read yet.
    var unread: UInt64 { header.entryCount - min(header.entryCount, progress.place.count) }
    var isBeingRead: Bool { progress.isReading }
    var isOpen: Bool { file != nil }
    /// Returns a file's name without the part that rotation adds, and without its extension.
    static func chainName(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String((name.split(separator: "@").first ?? name).split(separator: ".journal").first ?? name)
    }

    /// Begins with its first entry.
    func begin() {
        entriesAtBegin = header.entryCount
        tailAtBegin = header.entryCount > 0 ? header.tailRealtimeMicroseconds : 0
    }

    /// Whether all that is left to read was there when reading it began, and is older than `start`, by the time of the last entry.
    func isUnwanted(before start: UInt64) -> Bool {
        header.entryCount <= entriesAtBegin && header.tailRealtimeMicroseconds < start
    }

    /// - Parameter last: the entry before the place.
    func go(to place: EntryWalk.Place, behind last: FilePosition.Last?) { progress.go(to: place, behind: last) }

    /// Records the result of a scan for files.
    /// - Parameters:
    ///   - isFound: whether the scan found the file, under any name.
    ///   - isAtPath: whether nothing else is at its path.
    ///   - hasSuccessor: whether journald may write to another file instead.
    func note(isFound: Bool, isAtPath: Bool, hasSuccessor: Bool) {
        missedScans = isFound ? 0 : missedScans + 1
        isReplaced = !isAtPath || hasSuccessor
        isDeleted = !isFound && isGone(isAtPath)
    }

    /// Whether the file was deleted and was read as far as possible.
    var isDone: Bool { isDeleted && unread == 0 && (isComplete || !isOpen) }

    /// Whether the file no longer exists. A scan may miss a file that is renamed at the same time. An open file's
    /// descriptor shows whether it still has a name; any other file must be missed twice. A file whose path cannot be
    /// examined may still exist.
    private func isGone(_ isAtPath: Bool) -> Bool {
        if let file, file.hasNoName { return true }
        guard missedScans > 1 else { return false }
        return access(path, F_OK) == 0 ? !isAtPath : errno == ENOENT || errno == ENOTDIR
    }

    /// Whether a copy of the file has entries that this one has not, also when its header is read again.
    func isOlder(than copy: JournalFile) -> Bool {
        guard header.entryCount < copy.header.entryCount else { return false }
        let wasOpen = isOpen
        try? look()
        if !wasOpen { close() }
        return header.entryCount < copy.header.entryCount
    }

    /// Lets go of a file that was deleted, if a copy with the same entries is in its place: that may be written to from now on.
    func giveWay(to copy: JournalFile) {
        guard header.entryCount == copy.header.entryCount, let file, file.hasNoName else { return }
        close()
    }

    /// Whether the file was deleted and is read to its end, and an older copy in its place has newer entries: who writes
    /// continues there.
    func isContinued(by copy: JournalFile) -> Bool {
        guard copy.header.entryCount < header.entryCount, copy.path.isExactly(path), hasNoName else { return false }
        try? look()
        return unread == 0 && header.tailRealtimeMicroseconds < copy.header.tailRealtimeMicroseconds
    }

    /// Whether the file is open and was deleted, also if a copy is in its place.
    var hasNoName: Bool { file?.hasNoName ?? false }

    /// Records that rotation has renamed the file.
    func rename(to path: String) {
        guard path != self.path else { return }
        self.path = path
        progress.noteChange()
        isComplete = false
    }

    /// Returns the file, opened if it is not open.
    /// - Throws: `FormatError`, also when the path now has another file.
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

    /// Closes the descriptor and releases memory. The place stays.
    func close() {
        progress.stop()
        file?.close()
        file = nil
    }

    /// Closes it after an error, unless that passes when more is written, and it could not be opened again.
    func pause(after error: FormatError) {
        if error == .unfinished, isDeleted || hasNoName { progress.stop() } else { close() }
    }

    /// Whether journald has continued with this file instead of the other: it writes to one file of a name at a time.
    func isWrittenInstead(of other: JournalFile) -> Bool {
        self !== other && !isDeleted && !Self.isArchived(path) && header.machineID == other.header.machineID
            && chainName.isExactly(other.chainName)
    }

    /// Reads the header again, to see how many entries the file has now.
    func look() throws(FormatError) {
        guard !isComplete else { return }
        let isLast = Self.isArchived(path) || isDeleted && isReplaced
        let file = try open()
        let header = try file.header()
        // Another file was written over it, or an older copy.
        guard header.fileID == self.header.fileID, header.entryCount >= self.header.entryCount else {
            close()
            throw .replaced
        }
        isComplete = isLast || isDeleted && header.isArchived
        // Bytes that were read before the header may be older than the entries it counts.
        guard header.entryCount != self.header.entryCount else { return }
        self.header = header
        progress.refresh(header, end: try file.size(), isBeingFilled: isBeingFilled(file))
    }

    /// Ignores entries after this many from now on.
    func end(at entries: UInt64) {
        isComplete = true
        header.entryCount = min(header.entryCount, entries)
    }

    /// Whether the file is archived. Names of archived files have an `@`; those of files that were damaged, or not
    /// closed, end with `~`.
    static func isArchived(_ path: String) -> Bool {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[$0...] } ?? path.utf8[...]
        return name.last == UInt8(ascii: "~") || name.contains(UInt8(ascii: "@"))
    }

    // MARK: Reading

    /// Begins to read at the saved place.
    /// - Parameters:
    ///   - number: distinguishes it from all files that are being read.
    ///   - windowBytes: the most bytes of the file in memory.
    ///   - losses: receives the losses before the next entry.
    func startReading(number: UInt16, windowBytes: Int, _ losses: inout [FileLoss]) throws(FormatError) {
        let file = try open()
        try progress.start(
            FileReading(
                file, number: number, header, end: try file.size(), from: progress.place,
                isBeingFilled: isBeingFilled(file), windowBytes: windowBytes),
            &losses)
    }

    private func isBeingFilled(_ file: OpenFile) -> Bool { file.lacksTail(header) && file.isUnfinished(header) }

    /// Reads entries; see `FileProgress.read`.
    func read(
        by entries: inout EntryReader, _ chains: inout Chains, from start: UInt64, until: UInt64, limit: BatchLimit,
        into batch: inout EntryBatch, _ losses: inout [FileLoss]
    ) throws(FormatError) {
        try progress.read(
            chainName, by: &entries, &chains, from: start, of: entriesAtBegin, until: until, limit: limit, into: &batch,
            &losses)
    }

    /// Skips the next entry because it was read before.
    func skip(_ chains: inout Chains, _ losses: inout [FileLoss]) throws(FormatError) {
        try progress.skip(chainName, &chains, &losses)
    }

    /// Counts all entries that were not read as lost.
    func giveUp() -> FileLoss? {
        close()
        return progress.giveUp(isDeleted ? .deleted : .damaged, header)
    }

    /// When the next entry was written, in microseconds since 1970: exact while the file is being read, otherwise a
    /// lower bound.
    var nextTime: UInt64 { progress.nextTime }

    /// The same time, but `.max` when there is no entry that can be read.
    var timeToRead: UInt64 { readable > 0 ? min(nextTime, FileProgress.latest) : .max }

    /// The number of entries that were not read yet and can be read, as far as is known.
    var readable: UInt64 { problem == nil ? unread : 0 }

    /// Whether both files have unread entries of the same time.
    func overlaps(_ other: JournalFile) -> Bool {
        nextTime <= other.header.tailRealtimeMicroseconds && other.nextTime <= header.tailRealtimeMicroseconds
    }

    /// Whether this file begins with lower numbers of the same counter.
    func isBefore(_ other: JournalFile) -> Bool {
        header.seqnumID == other.header.seqnumID && header.headSeqnum < other.header.headSeqnum
    }

    /// The next entry, if it is the file's first.
    var first: EntryHead? { progress.first }

    /// Whether this file's last entry is the given one, half-written because the file was full. journald writes it
    /// again as the first entry of the next file, with the next number.
    func leaves(_ entry: EntryHead, _ other: FileHeader) throws(FormatError) -> Bool {
        guard let last, last.cursor.seqnum &+ 1 == entry.seqnum, header.seqnumID == other.seqnumID,
            header.machineID == other.machineID, unread == 0,
            last.cursor.isSameEntry(as: entry.cursor(other.seqnumID)), progress.place.count > 0
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
