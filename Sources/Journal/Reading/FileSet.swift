import Glibc
import Linux
import Model

/// The files of a journal, each read from its own place. Files with entries of the same time are read in parallel, so
/// that the entries of a machine's system and users come in the order in which they were written.
final class FileSet {
    /// The memory for file contents: for all files that are read at the same time together, and for each.
    private static let windowBytes = (together: 512 << 10, each: 4 << 10...256 << 10)
    /// The capacity for a live journal's entries between two reads.
    private static let fewEntries = 64
    /// The most files that stay open. Others are opened each time their header is read, and each time it is their turn.
    /// Most of the process's descriptors are reserved for other uses.
    static let maximumOpenFiles: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        return max(8, Int(min(256, limit.rlim_cur / 4)))
    }()

    var files: [JournalFile] = []
    private var entries: EntryReader
    var chains: Chains
    /// The time before which entries are skipped, in microseconds since 1970.
    var start: UInt64
    /// Returns the time in microseconds since 1970.
    let clock: @Sendable () -> UInt64
    private var lastNumber: UInt16 = 0
    /// The size of the last batch: the next one is often as large.
    private var lastSize = (bytes: 0, entries: 0)
    /// The files that were at the paths when they were last examined: an unchanged file need not be opened.
    var seen: [ExactString: SeenFile] = [:]
    /// The positions of files that were read earlier and have not been found yet.
    var saved: [ID128: FilePosition]
    /// Whether the last scan found a copy in the place of a deleted file that is still open.
    var hasCopyOfDeleted = false
    let correctsStart: Bool
    /// The files of `saved` that only the last scan did not find.
    var missedBefore: Set<ID128> = []
    /// The gaps from files that were found to be gone since the last read.
    var gaps: [Gap] = []
    /// The files that are gone since the last call of `takeProgress`.
    var forgotten: Set<ID128> = []
    /// The last entries of files that are gone: entries after them may be missing.
    var lastOfGone: [JournalCursor] = []

    /// - Parameters:
    ///   - state: how far the journal was read earlier, or the time from which to read it.
    ///   - correctsStart: whether a start in the future becomes one in the past.
    ///   - clock: returns the time in microseconds since 1970.
    init(
        rules: [SourceRule], options: JournalOptions, from state: ReadingState = ReadingState(startMicroseconds: 0),
        correctsStart: Bool = true, clock: @escaping @Sendable () -> UInt64 = wallClock
    ) {
        self.correctsStart = correctsStart
        entries = EntryReader(
            rules: rules, maximumFieldBytes: options.maximumFieldBytes, entryKey: options.entryKey)
        chains = Chains(state.chains, most: options.maximumChains, clock: clock)
        start = state.startMicroseconds
        self.clock = clock
        saved = Dictionary(state.files.map { ($0.fileID, $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns the changes since the last call.
    func takeProgress() -> ReadingProgress {
        var progress = ReadingProgress()
        let positions = files.compactMap { $0.takeChange() }
        progress.files.reserveCapacity(forgotten.count + positions.count)
        for id in forgotten { progress.files[id] = .some(nil) }
        for position in positions { progress.files[position.fileID] = position }
        forgotten = []
        progress.chains = chains.takeChanges()
        return progress
    }

    /// Uses other rules from the next entry on.
    func use(_ rules: [SourceRule]) { entries.use(rules) }

    // MARK: Reading

    /// Adds the next entries of all files, up to those that `look` found.
    func read(_ limit: BatchLimit, into batch: inout EntryBatch) {
        batch.gaps += gaps
        gaps = []
        batch.reachedEnd = false
        // Growing in small steps would touch new pages each time.
        batch.bytes.reserveCapacity(lastSize.bytes + lastSize.bytes / 8)
        batch.entries.reserveCapacity(lastSize.entries)
        defer { lastSize = (batch.bytes.count, batch.entries.count) }
        var times = files.map(\.timeToRead)
        while !batch.isFull(limit) {
            guard let (index, until) = oldest(times) else {
                batch.reachedEnd = true
                return
            }
            let file = files[index]
            defer { times[index] = file.timeToRead }
            var losses: [FileLoss] = []
            do throws(FormatError) {
                if file.isBeingRead {
                    try file.read(
                        by: &entries, &chains, from: start, until: until, limit: limit, into: &batch, &losses)
                } else {
                    let number = file.number ?? nextNumber()
                    file.number = number
                    try file.startReading(number: number, windowBytes: windowBytes(for: file), &losses)
                    try skipCopy(in: file, &batch, &losses)
                }
                if files.count > Self.maximumOpenFiles { closeSome() }
            } catch {
                // The other files are read.
                file.problem = error
                file.pause(after: error)
            }
            for loss in losses { note(loss, of: file.position, index: batch.entries.count, &batch.gaps) }
        }
    }

    /// Returns a number that no file has. There may be more files than numbers, but few are being read.
    private func nextNumber() -> UInt16 {
        repeat {
            if lastNumber == .max {
                // What is known of a file's fields would be taken for what is known of another's.
                entries.forgetMeanings()
                for file in files where !file.isBeingRead { file.number = nil }
            }
            lastNumber &+= 1
        } while files.contains { $0.number == lastNumber }
        return lastNumber
    }

    /// Skips the first entry of a file if a full file has the same entry, half-written.
    private func skipCopy(
        in file: JournalFile, _ batch: inout EntryBatch, _ losses: inout [FileLoss]
    ) throws(FormatError) {
        guard let first = file.first else { return }
        for other in files where other !== file {
            if (try? other.leaves(first, file.header)) ?? false {
                batch.entriesRead += 1
                batch.progress.counts.duplicates += 1
                return try file.skip(&chains, &losses)
            }
        }
    }

    /// Adds a loss to the gaps. The losses of one file within a batch become one gap.
    func note(_ loss: FileLoss, of file: FilePosition, index: Int, _ gaps: inout [Gap]) {
        if let numbers = loss.numbers {
            for chain in chains.ofFile(file) { chain.explain(numbers) }
        }
        let (id, cause) = (file.fileID, loss.cause)
        let place = gaps.firstIndex { $0.cause == cause && $0.part?.fileID == id }
        let before = place.map { gaps[$0] }
        let count = loss.count + (before?.count ?? 0)
        let range = min(loss.range.lowerBound, before?.part?.range.lowerBound ?? .max)..<loss.range.upperBound
        let gap = Gap(
            cause: cause, realtimeMicroseconds: clock(), from: before?.from ?? loss.from, to: loss.to ?? before?.to,
            count: count,
            part: .init(
                fileID: id, path: file.path, range: range, lastSeqnum: loss.lastSeqnum ?? before?.part?.lastSeqnum),
            message: message(cause, count, file.path, range), entryIndex: before?.entryIndex ?? index)
        if let place { gaps[place] = gap } else { gaps.append(gap) }
    }

    private func message(_ cause: Gap.Cause, _ count: UInt64, _ path: String, _ range: Range<UInt64>) -> String {
        let entries = "\(count) \(count == 1 ? "entry" : "entries")"
        guard cause == .damaged else { return "\(entries) of \(path) were deleted before they were read" }
        return "\(entries) could not be read: \(path) is damaged between its bytes \(range.lowerBound) and "
            + "\(range.upperBound)"
    }

    // MARK: What is missing

    /// Returns a gap for missing numbers.
    func gap(_ hole: JournalHole) -> Gap {
        let (first, last) = (hole.numbers.lowerBound, hole.numbers.upperBound)
        return Gap(
            cause: .missing, realtimeMicroseconds: clock(), from: entry(first &- 1, hole), to: entry(last &+ 1, hole),
            count: last - first + 1, certainty: .atMost, numbers: hole.numbers,
            message: "no file has the entries with the sequence numbers \(first) to \(last)")
    }

    /// Returns the entry with a number, if it can be found quickly.
    private func entry(_ number: UInt64, _ hole: JournalHole) -> JournalCursor? {
        // Boots that take turns in files have one counter.
        func isBeside(_ cursor: JournalCursor) -> Bool {
            cursor.seqnum == number && (cursor.seqnumID == hole.seqnumID || cursor.bootID == hole.boot.bootID)
        }
        if let cursor = lastOfGone.first(where: isBeside) { return cursor }
        for file in files
        where file.header.machineID == hole.boot.machineID && file.header.headSeqnum <= number
            && file.header.tailSeqnum >= number
        {
            if let cursor = try? file.entry(number: number), isBeside(cursor) { return cursor }
        }
        return nil
    }

    /// Reads no further than these positions.
    func end(at positions: [FilePosition]) {
        let read = Dictionary(positions.map { ($0.fileID, $0.entries) }, uniquingKeysWith: { $1 })
        for file in files { file.end(at: read[file.header.fileID] ?? 0) }
    }

    // MARK: How far it goes

    /// The times of the newest entry and of the oldest entry that is not read yet, in microseconds since 1970.
    var extent: (newest: UInt64?, unread: UInt64?) {
        let now = clock()
        let newest = files.lazy.filter { $0.header.entryCount > 0 }
            .map { min($0.header.tailRealtimeMicroseconds, now) }.max()
        // Nobody waits for older entries: nearly all of them will be passed.
        return (newest, files.lazy.filter { $0.readable > 0 }.map(\.nextTime).min().map { max($0, start) })
    }

    /// The number of entries that are not read yet.
    var unread: UInt64 {
        files.reduce(0) { $0 &+ $1.readable }
    }

    /// Returns the file whose next entry is the oldest, and the time of the next entry of another file. If rotation
    /// fell within one write, the file with the lower numbers comes first.
    /// - Parameter times: the time of each file's next entry; `.max` if there is none.
    private func oldest(_ times: [UInt64]) -> (index: Int, until: UInt64)? {
        var first = 0
        var (time, until) = (UInt64.max, UInt64.max)
        for index in times.indices {
            let next = times[index]
            if next < time || next == time && next != .max && files[index].isBefore(files[first]) {
                until = time
                time = next
                first = index
            } else if next < until {
                until = next
            }
        }
        return time == .max ? nil : (first, until)
    }

    private func windowBytes(for file: JournalFile) -> Int {
        let bounds = Self.windowBytes.each
        guard file.unread > Self.fewEntries else { return bounds.lowerBound }
        let atOnce = files.count { $0.unread > Self.fewEntries && $0.overlaps(file) }
        return min(max(Self.windowBytes.together / max(1, atOnce), bounds.lowerBound), bounds.upperBound)
    }
}
