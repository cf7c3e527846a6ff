import Model

/// How far a file was read and, while it is being read, its parts in memory.
///
/// Everything that changes with each entry is in this structure, to which its methods have exclusive access. In a
/// class, each access to a property would be checked for exclusivity, which took a tenth of the time.
struct FileProgress: ~Copyable {
    private(set) var place = EntryWalk.Place()
    /// When the next entry was written, in microseconds since 1970: exact while the file is being read, otherwise a
    /// lower bound.
    private(set) var nextTime: UInt64
    private var reading: FileReading<OpenFile>?
    private var next: EntryHead?
    /// The last entry that was read by this process; then, the last one that an earlier process read.
    private var lastRead: EntryHead?
    private var lastSaved: FilePosition.Last?
    /// The chain of the last entry, if that was read since progress was saved: any other chain may have been forgotten.
    private var chain: Chain?
    /// The last number of that chain in this file.
    private var lastNumber: UInt64?
    /// Counts entries with lower numbers than those that their chain has counted.
    private var repeats = RepeatCount()
    /// The numbers of the entries that were skipped since the last one that was read.
    private var passed: ClosedRange<UInt64>?
    /// Whether it differs from what was saved.
    private(set) var isChanged = true

    /// - Parameter nextTime: the time of the file's first entry.
    init(nextTime: UInt64) { self.nextTime = nextTime }

    var isReading: Bool { reading != nil }

    /// - Parameter header: the header of the file.
    func last(_ header: FileHeader) -> FilePosition.Last? {
        lastRead.map { FilePosition.Last(cursor: $0.cursor(header.seqnumID), offset: $0.offset) } ?? lastSaved
    }

    /// The next entry, if it is the file's first.
    var first: EntryHead? { place.count <= 1 && lastRead == nil && lastSaved == nil ? next : nil }

    mutating func noteSaved() {
        isChanged = false
        chain = nil
    }

    mutating func noteChange() { isChanged = true }

    /// - Parameter last: the entry before the place.
    mutating func go(to place: EntryWalk.Place, behind last: FilePosition.Last?) {
        stop()
        passed = nil
        self.place = place
        lastRead = nil
        lastSaved = last
        lastNumber = last?.cursor.seqnum
        isChanged = true
        nextTime = max(nextTime, last?.cursor.realtimeMicroseconds ?? 0)
    }

    /// Releases memory. The place stays.
    mutating func stop() {
        reading = nil
        next = nil
    }

    /// Continues with what was written since.
    mutating func refresh(_ header: FileHeader, end: UInt64, isBeingFilled: Bool) {
        reading?.refresh(header, end: end, isBeingFilled: isBeingFilled)
        isChanged = true
    }

    // MARK: Reading

    /// Begins to read at the place and goes to the next entry.
    /// - Parameter new: the reading of the file from the place.
    /// - Parameter losses: receives the losses before that entry.
    mutating func start(_ new: consuming FileReading<OpenFile>, _ losses: inout [FileLoss]) throws(FormatError) {
        var reading = consume new
        if try advance(&reading, &losses) { self.reading = consume reading }
    }

    /// Reads entries up to one that is newer than `until`, or until the batch is full.
    /// - Parameters:
    ///   - name: the name of the files that its chains continue in.
    ///   - chains: the known chains, which are updated with these entries.
    ///   - start: the time before which entries are skipped, of the first `old` ones.
    ///   - losses: receives the entries that could not be read.
    mutating func read(
        _ name: String, by entries: inout EntryReader, _ chains: inout Chains, from start: UInt64, of old: UInt64,
        until: UInt64, limit: BatchLimit, into batch: inout EntryBatch, _ losses: inout [FileLoss]
    ) throws(FormatError) {
        guard var reading = self.reading.take() else { return }
        let header = reading.header
        defer { if let passed, chains.notePassed(passed, seqnumID: header.seqnumID) { self.passed = nil } }
        var isAtEnd = next == nil
        while let entry = next, min(entry.realtimeMicroseconds, Self.latest) <= until, !batch.isFull(limit) {
            if entry.realtimeMicroseconds >= start || place.count >= old {
                let outcome = try entries.read(entry, of: &reading, into: &batch)
                if let passed {
                    _ = chains.notePassed(passed, seqnumID: header.seqnumID)
                    self.passed = nil
                }
                note(entry, outcome, reading.header, name, &chains, &batch)
                if outcome == .damaged { losses.append(damaged(entry, reading)) }
            } else {
                batch.entriesPassed += 1
                // A number has no checksum. One outside the file's range would hide missing entries.
                if entry.seqnum >= header.headSeqnum, entry.seqnum <= header.tailSeqnum {
                    let (first, last) = (passed?.lowerBound ?? entry.seqnum, passed?.upperBound ?? entry.seqnum)
                    passed = min(first, entry.seqnum)...max(last, entry.seqnum)
                    lastNumber = entry.seqnum
                }
            }
            isAtEnd = try !pass(entry, &reading, &losses)
        }
        if !isAtEnd { self.reading = consume reading }
    }

    /// The latest time of an entry that can be read; only files that cannot be read come after it.
    static let latest = UInt64.max - 1

    /// Skips the next entry because it was read before.
    mutating func skip(_ name: String, _ chains: inout Chains, _ losses: inout [FileLoss]) throws(FormatError) {
        guard let entry = next, var reading = self.reading.take() else { return }
        chain(of: entry, reading.header, name, &chains).noteSeen(entry.seqnum)
        if try pass(entry, &reading, &losses) { self.reading = consume reading }
    }

    /// Goes to the entry after this one.
    /// - Returns: whether there is a next entry.
    @inline(__always)
    private mutating func pass(
        _ entry: EntryHead, _ reading: inout FileReading<OpenFile>, _ losses: inout [FileLoss]
    ) throws(FormatError) -> Bool {
        lastRead = entry
        next = nil
        place = reading.walk.place
        isChanged = true
        return try advance(&reading, &losses)
    }

    /// - Returns: whether there is a next entry. If not, what is in memory is no longer needed.
    @inline(__always)
    private mutating func advance(
        _ reading: inout FileReading<OpenFile>, _ losses: inout [FileLoss]
    ) throws(FormatError) -> Bool {
        var lost: (count: UInt64, range: Range<UInt64>)?
        var placeAfterLoss: EntryWalk.Place?
        var isAtEnd = false
        while next == nil, !isAtEnd {
            switch try reading.next() {
            case .entry(let entry):
                if reading.isBeingFilled, try !reading.isFollowed(entry) { throw .unfinished }
                next = entry
                nextTime = entry.realtimeMicroseconds
            case .lost(let count, let range):
                // Nothing is lost yet, and reading continues from the same place. It may have been written since its size was
                // asked for, or since the zeros in its place were read.
                guard !reading.isBeingFilled, !reading.source.isUnfinished(reading.header),
                    try reading.source.size() <= reading.end
                else { throw .unfinished }
                lost = ((lost?.count ?? 0) + count, (lost?.range.lowerBound ?? range.lowerBound)..<range.upperBound)
                placeAfterLoss = reading.walk.place
            case .end: isAtEnd = true
            }
        }
        // Not earlier than this: a loss is counted only once it is certain and passed.
        if let placeAfterLoss {
            place = placeAfterLoss
            isChanged = true
        }
        // If all entries up to the last one that the header names were read, the header's count is wrong.
        let isMiscount = next == nil && reading.walk.isUndisputed && lastRead?.seqnum == reading.header.tailSeqnum
        if let lost, !isMiscount, let loss = loss(reading.lossCause, lost.count, lost.range, reading.header) {
            losses.append(loss)
        }
        return !isAtEnd
    }

    @inline(__always)
    private mutating func note(
        _ entry: EntryHead, _ outcome: EntryReader.Outcome, _ header: FileHeader, _ name: String,
        _ chains: inout Chains, _ batch: inout EntryBatch
    ) {
        batch.entriesRead += 1
        batch.lastRealtimeMicroseconds = entry.realtimeMicroseconds
        if outcome == .skipped { batch.progress.counts.skipped += 1 }
        var (ordinal, wasRead, mayBeKnown, mayBeCopy) = (UInt32(0), false, true, false)
        // A number has no checksum. One outside the file's range would hide missing entries.
        if entry.seqnum >= header.headSeqnum, entry.seqnum <= header.tailSeqnum {
            let chain = chain(of: entry, header, name, &chains)
            if let next = chain.noteNext(entry, after: lastNumber) {
                (ordinal, mayBeKnown) = (next, false)
            } else {
                (ordinal, wasRead, mayBeKnown) = chain.note(
                    entry, after: lastNumber, fileFrom: header.headSeqnum, &repeats)
            }
            if chain.mayHaveOtherNumber(monotonicMicroseconds: entry.monotonicMicroseconds) {
                mayBeKnown = true
                chain.noteCopy(entry)
            }
            if entry.realtimeMicroseconds <= chains.forgottenUntil { mayBeKnown = true }
            mayBeCopy = entry.realtimeMicroseconds <= chain.mayBeCopyUntil
            lastNumber = entry.seqnum
        }
        if outcome == .taken, ordinal > 0 || mayBeKnown || mayBeCopy {
            batch.entries[batch.entries.count - 1].ordinal = ordinal
            batch.entries[batch.entries.count - 1].wasRead = wasRead
            batch.entries[batch.entries.count - 1].mayBeKnown = mayBeKnown
            batch.entries[batch.entries.count - 1].mayBeCopy = mayBeCopy
        }
    }

    @inline(__always)
    private mutating func chain(
        of entry: EntryHead, _ header: FileHeader, _ name: String, _ chains: inout Chains
    ) -> Chain {
        if let chain, chain.id.bootID == entry.bootID, chain.id.seqnumID == header.seqnumID { return chain }
        let found = chains[
            ChainID(
                machineID: header.machineID, seqnumID: header.seqnumID, bootID: entry.bootID, name: name)]
        chain = found
        // If the last entry is of another boot, no number comes before this one.
        if last(header)?.cursor.bootID != entry.bootID { lastNumber = nil }
        return found
    }

    // MARK: What is lost

    /// Counts all entries that were not read as lost.
    mutating func giveUp(_ cause: Gap.Cause, _ header: FileHeader) -> FileLoss? {
        let count = header.entryCount - min(header.entryCount, place.count)
        let range = place.offset..<max(place.offset, header.headerBytes &+ header.arenaBytes)
        stop()
        place.count = header.entryCount
        isChanged = true
        var loss = loss(cause, count, range, header)
        loss?.lastSeqnum = header.seqnums?.upperBound
        return loss
    }

    private func damaged(_ entry: EntryHead, _ reading: borrowing FileReading<OpenFile>) -> FileLoss {
        FileLoss(
            cause: reading.lossCause, count: 1, range: entry.offset..<entry.end, from: last(reading.header)?.cursor,
            to: entry.cursor(reading.header.seqnumID))
    }

    /// Returns the loss before the next entry.
    /// - Returns: `nil` when the header counts more entries than it has numbers for, and all numbered entries were
    ///   read.
    @inline(never)
    private func loss(
        _ cause: Gap.Cause, _ count: UInt64, _ range: Range<UInt64>, _ header: FileHeader
    ) -> FileLoss? {
        let last = last(header)
        // The header may be damaged too.
        var count = min(count, header.arenaBytes / UInt64(EntryHead.bytes) + 1)
        if next == nil, let last, last.cursor.seqnum == header.tailSeqnum, let numbers = header.seqnums {
            // One less than the number of numbers, which may exceed 64 bits.
            let numbered = numbers.upperBound - numbers.lowerBound
            let read = header.entryCount - count
            count = read > numbered ? 0 : numbered - read < count ? numbered - read + 1 : count
        }
        guard count > 0 else { return nil }
        let first = last.map { $0.cursor.seqnum &+ 1 } ?? header.headSeqnum
        let end = next?.seqnum ?? header.tailSeqnum &+ 1
        return FileLoss(
            cause: cause, count: count, range: range, from: last?.cursor, to: next?.cursor(header.seqnumID),
            numbers: first < end ? FileLoss.plausible(first...(end - 1), count: count) : nil)
    }
}

extension FileReading<OpenFile> {
    /// The cause of a loss. journald truncates a file that it deletes, even while others have it open.
    fileprivate var lossCause: Gap.Cause { source.hasNoName ? .deleted : .damaged }
}

extension EntryBatch {
    func isFull(_ limit: BatchLimit) -> Bool {
        entriesRead + entriesPassed >= limit.maximumEntriesRead || entries.count >= limit.maximumEvents
            || bytes.count + originBytes >= limit.maximumEventBytes
    }
}

/// Entries of a file that could not be read.
struct FileLoss: Hashable, Sendable {
    /// `damaged`, or `deleted` if the file was deleted before it was read to its end.
    var cause: Gap.Cause
    /// The number of entries.
    var count: UInt64
    /// The place in the file.
    var range: Range<UInt64>
    /// The last entry before the loss.
    var from: JournalCursor?
    /// The first entry after the loss.
    var to: JournalCursor?
    /// The sequence numbers of these entries, and perhaps of entries of other chains.
    var numbers: ClosedRange<UInt64>?
    /// The number of the file's last entry, if these are the rest of a file that is gone.
    var lastSeqnum: UInt64?

    /// The most entries of other chains between those of one for which the numbers are plausible.
    private static let maximumOthers: UInt64 = 1 << 24

    /// - Returns: `nil` if there are too many numbers for so few entries.
    static func plausible(_ numbers: ClosedRange<UInt64>, count: UInt64) -> ClosedRange<UInt64>? {
        let more = numbers.upperBound - numbers.lowerBound
        return more <= maximumOthers || more - maximumOthers < count ? numbers : nil
    }
}
