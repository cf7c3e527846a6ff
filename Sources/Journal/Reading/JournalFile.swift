import Glibc
import Model

/// A file of a journal: what it has, how far it was read, and while it is read, the parts of it that are in memory.
final class JournalFile {
    /// Rotation renames files.
    private(set) var path: String
    /// Whether it has no name any more.
    private(set) var isDeleted = false
    /// In how many looks in a row it was not found.
    private var missedLooks = 0
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
    /// The entry that was read last, by this process and by one before.
    private var lastRead: EntryHead?
    private var lastSaved: FilePosition.Last?
    /// What the last entry belongs to.
    private var chain: Chain?
    /// The last number of that.
    private var lastNumber: UInt64?
    /// Of entries that were numbered before those of the chain that were counted.
    private var repeats = RepeatCount()
    /// Whether the position differs from what was saved.
    private var isChanged = true

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
        /// The last entry before it.
        var from: JournalCursor?
        /// The first entry behind it.
        var to: JournalCursor?
        /// The numbers that they had, and perhaps entries of other chains.
        var numbers: ClosedRange<UInt64>?
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
        FilePosition(
            fileID: header.fileID, path: path, machineID: header.machineID, seqnumID: header.seqnumID,
            entries: place.count, offset: place.offset, last: last, promisedEntries: header.entryCount,
            promisedSeqnums: header.seqnums)
    }

    private var last: FilePosition.Last? {
        lastRead.map { FilePosition.Last(cursor: $0.cursor(header.seqnumID), offset: $0.offset) } ?? lastSaved
    }

    /// - Returns: how far it was read, where that has changed since the last call.
    func takeChange() -> FilePosition? {
        defer { isChanged = false }
        return isChanged ? position : nil
    }

    /// Entries that the header counts and that were not read yet.
    var unread: UInt64 { header.entryCount - min(header.entryCount, place.count) }
    var isBeingRead: Bool { reading != nil }
    var isOpen: Bool { file != nil }
    /// The name of its chains.
    var name: String { Self.chainName(path) }

    /// A file's name without what rotation adds to it, and without its ending.
    static func chainName(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        return String((name.split(separator: "@").first ?? name).split(separator: ".journal").first ?? name)
    }

    /// - Parameter last: what lies before the place.
    func go(to place: EntryWalk.Place, behind last: FilePosition.Last?) {
        reading = nil
        next = nil
        self.place = place
        lastRead = nil
        lastSaved = last
        lastNumber = last?.cursor.seqnum
        isChanged = true
        nextTime = max(nextTime, last?.cursor.realtimeMicroseconds ?? 0)
    }

    /// Takes note of a look for files.
    /// - Parameters:
    ///   - isFound: whether it was there, by whatever name.
    ///   - isAtPath: whether nothing else is at its path.
    func note(isFound: Bool, isAtPath: Bool) {
        missedLooks = isFound ? 0 : missedLooks + 1
        isDeleted = !isFound && isGone(isAtPath)
    }

    /// A file that is renamed while it is looked for is found by neither of its names: one that is open says itself
    /// whether it has one, another must be missed twice. One that cannot be looked at may be there.
    private func isGone(_ isAtPath: Bool) -> Bool {
        if let file { return file.hasNoName }
        guard missedLooks > 1 else { return false }
        return access(path, F_OK) == 0 ? !isAtPath : errno == ENOENT || errno == ENOTDIR
    }

    /// Rotation has given the file another name.
    func rename(to path: String) {
        guard path != self.path else { return }
        self.path = path
        isChanged = true
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
        // Another one was written over it.
        guard header.fileID == self.header.fileID else {
            close()
            throw .replaced
        }
        isComplete = isArchived
        // What was read before the header may be older than what it counts.
        guard header.entryCount != self.header.entryCount else { return }
        self.header = header
        isChanged = true
        try reading?.refresh(header, end: file.size())
    }

    /// Takes the file to have no more entries than these, from now on.
    func end(at entries: UInt64) {
        isComplete = true
        header.entryCount = min(header.entryCount, entries)
    }

    /// Names of archived files have an `@`; those of files that were found damaged, or not closed, end with `~`.
    static func isArchived(_ path: String) -> Bool {
        path.hasSuffix("~") || path.split(separator: "/").last?.contains("@") == true
    }

    // MARK: Reading

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
        var lost: (count: UInt64, range: Range<UInt64>)?
        while next == nil, let step = try reading?.next() {
            switch step {
            case .entry(let entry):
                next = entry
                nextTime = entry.realtimeMicroseconds
            case .lost(let count, let range):
                lost = ((lost?.count ?? 0) + count, (lost?.range.lowerBound ?? range.lowerBound)..<range.upperBound)
                place = reading?.walk.place ?? place
                isChanged = true
            case .end:
                // What is in memory is not needed until there is more.
                reading = nil
            }
        }
        if let lost, let loss = loss(lost.count, lost.range, before: next) { losses.append(loss) }
    }

    /// Reads entries up to one that is newer than `until`, or until the batch is full.
    /// - Parameters:
    ///   - chains: what is known of the entries' chains, and gets to know these.
    ///   - start: older entries are left out.
    /// - Returns: what could not be read.
    func read(
        by entries: inout EntryReader, _ chains: inout Chains, from start: UInt64, until: UInt64, limit: BatchLimit,
        into batch: inout EntryBatch
    ) throws(FormatError) -> [Loss] {
        var losses: [Loss] = []
        while let entry = next, entry.realtimeMicroseconds <= until, !batch.isFull(limit), reading != nil {
            if entry.realtimeMicroseconds >= start {
                let outcome = try entries.read(entry, of: &reading!, into: &batch)
                note(entry, outcome, &chains, &batch)
                if outcome == .damaged { losses.append(damaged(entry)) }
            }
            try pass(entry, &losses)
        }
        return losses
    }

    /// Goes on behind an entry.
    @inline(__always)
    private func pass(_ entry: EntryHead, _ losses: inout [Loss]) throws(FormatError) {
        lastRead = entry
        next = nil
        place = reading?.walk.place ?? place
        isChanged = true
        try advance(&losses)
    }

    @inline(__always)
    private func note(
        _ entry: EntryHead, _ outcome: EntryReader.Outcome, _ chains: inout Chains, _ batch: inout EntryBatch
    ) {
        batch.entriesRead += 1
        batch.lastRealtimeMicroseconds = entry.realtimeMicroseconds
        if outcome == .passed { batch.progress.counts.passed += 1 }
        var (ordinal, mayBeKnown) = (UInt32(0), true)
        // Nothing protects a number from damage. One that the file does not have would hide what is missing.
        if entry.seqnum >= header.headSeqnum, entry.seqnum <= header.tailSeqnum {
            let chain = chain(of: entry, &chains)
            if let next = chain.noteNext(entry, after: lastNumber) {
                (ordinal, mayBeKnown) = (next, false)
            } else {
                (ordinal, mayBeKnown) = chain.note(entry, after: lastNumber, &repeats)
            }
            mayBeKnown =
                mayBeKnown || chain.mayHaveOtherNumber(monotonicMicroseconds: entry.monotonicMicroseconds)
            lastNumber = entry.seqnum
        }
        if outcome == .taken, ordinal > 0 || mayBeKnown {
            batch.entries[batch.entries.count - 1].ordinal = ordinal
            batch.entries[batch.entries.count - 1].mayBeKnown = mayBeKnown
        }
    }

    @inline(__always)
    private func chain(of entry: EntryHead, _ chains: inout Chains) -> Chain {
        if let chain, chain.id.bootID == entry.bootID, chain.id.seqnumID == header.seqnumID { return chain }
        let found = chains[
            ChainID(machineID: header.machineID, seqnumID: header.seqnumID, bootID: entry.bootID, name: name)]
        chain = found
        // The last entry of another boot has nothing before these.
        if last?.cursor.bootID != entry.bootID { lastNumber = nil }
        return found
    }

    /// When the entry that comes next was written, as `nextTime` has it; `.max` when there is none that can be read.
    var timeToRead: UInt64 { readable > 0 ? min(nextTime, .max - 1) : .max }

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
    var first: EntryHead? { place.count <= 1 && last == nil ? next : nil }

    /// Whether its last entry is this one, and was left half-written because the file was full: then it comes once more, as
    /// the first of the next file, with the next number.
    func leaves(_ entry: EntryHead, _ other: FileHeader) throws(FormatError) -> Bool {
        guard let last, last.cursor.seqnum &+ 1 == entry.seqnum, header.seqnumID == other.seqnumID,
            header.machineID == other.machineID, unread == 0,
            last.cursor.isSameEntry(as: entry.cursor(other.seqnumID))
        else { return false }
        let file = try open()
        var reading = FileReading(
            file, number: 0, header, end: try file.size(), from: .init(offset: last.offset, count: place.count - 1),
            windowBytes: 4096)
        guard case .entry(let written) = try reading.next() else { return false }
        return try !reading.isLinked(written)
    }

    /// Leaves out the entry that comes next, as it was read before.
    func skip(_ chains: inout Chains) throws(FormatError) -> [Loss] {
        guard let entry = next else { return [] }
        chain(of: entry, &chains).explain(entry.seqnum...entry.seqnum)
        var losses: [Loss] = []
        try pass(entry, &losses)
        return losses
    }

    // MARK: What is lost

    /// Counts all that was not read as lost.
    func giveUp() -> Loss? {
        let rest = (unread, place.offset..<max(place.offset, header.headerBytes &+ header.arenaBytes))
        close()
        place.count = header.entryCount
        isChanged = true
        return loss(rest.0, rest.1, before: nil)
    }

    private func damaged(_ entry: EntryHead) -> Loss {
        let cursor = entry.cursor(header.seqnumID)
        return Loss(
            cause: isDeleted ? .deleted : .damaged, count: 1, range: entry.offset..<entry.end, from: last?.cursor,
            to: cursor)
    }

    /// - Returns: `nil` when the header counts more entries than it has numbers for, and all of those were read.
    private func loss(_ count: UInt64, _ range: Range<UInt64>, before entry: EntryHead?) -> Loss? {
        // The header may be damaged as well.
        var count = min(count, header.arenaBytes / UInt64(EntryHead.bytes) + 1)
        if entry == nil, let last, last.cursor.seqnum == header.tailSeqnum, let numbers = header.seqnums {
            // One less than there are numbers, which may be more than can be counted.
            let numbered = numbers.upperBound - numbers.lowerBound
            let read = header.entryCount - count
            count = read > numbered ? 0 : min(count, numbered - read + 1)
        }
        guard count > 0 else { return nil }
        let first = last.map { $0.cursor.seqnum &+ 1 } ?? header.headSeqnum
        let end = entry?.seqnum ?? header.tailSeqnum &+ 1
        let isPlausible = first < end && end - first <= count + Self.maximumOthers
        return Loss(
            cause: isDeleted ? .deleted : .damaged, count: count, range: range, from: last?.cursor,
            to: entry?.cursor(header.seqnumID), numbers: isPlausible ? first...(end - 1) : nil)
    }

    /// How many entries of other chains may have been numbered between two of this one, for both to be believed.
    private static let maximumOthers: UInt64 = 1 << 24
}

extension EntryBatch {
    func isFull(_ limit: BatchLimit) -> Bool {
        entriesRead >= limit.maximumEntriesRead || entries.count >= limit.maximumEvents
            || bytes.count >= limit.maximumEventBytes
    }
}
