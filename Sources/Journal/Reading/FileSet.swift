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
    private static let maximumOpenFiles: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 256 }
        return max(8, Int(min(256, limit.rlim_cur / 4)))
    }()

    private(set) var files: [JournalFile] = []
    private var entries: EntryReader
    var chains: Chains
    /// The time before which entries are skipped, in microseconds since 1970.
    private(set) var start: UInt64
    /// Returns the time in microseconds since 1970.
    private let clock: @Sendable () -> UInt64
    private var lastNumber: UInt16 = 0
    /// The size of the last batch: the next one is often as large.
    private var lastSize = (bytes: 0, entries: 0)
    /// The files that were at the paths when they were last examined: an unchanged file need not be opened.
    private var seen: [ExactString: SeenFile] = [:]
    /// The positions of files that were read earlier and have not been found yet.
    private var saved: [ID128: FilePosition]
    /// Whether the last scan found a copy in the place of a deleted file that is still open.
    private var hasCopyOfDeleted = false
    private let correctsStart: Bool
    /// The files of `saved` that only the last scan did not find.
    private var missedBefore: Set<ID128> = []
    /// The gaps from files that were found to be gone since the last read.
    private var gaps: [Gap] = []
    /// The files that are gone since the last call of `takeProgress`.
    private var forgotten: Set<ID128> = []
    /// The last entries of files that are gone: entries after them may be missing.
    private var lastOfGone: [JournalCursor] = []

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

    // MARK: Finding files

    /// A file that cannot be read, and why.
    struct Problem: Equatable {
        @Exact var path: String
        var error: FormatError
    }

    /// Updates the list of files.
    /// - Parameters:
    ///   - paths: the paths of all files.
    ///   - isWhole: whether the list is complete. It is not if there are folders that cannot be read.
    /// - Returns: the files that cannot be read.
    func scan(_ paths: [String], isWhole: Bool = true) -> [Problem] {
        var problems: [Problem] = []
        var found: [ID128: String] = [:]
        var new: [ID128: JournalFile] = [:]
        // Copies that have more entries than the files that are read, or in which these continue.
        var newer: [ID128: JournalFile] = [:]
        var isWhole = isWhole
        hasCopyOfDeleted = false
        let before = seen
        seen = [:]
        let known = Dictionary(files.map { ($0.header.fileID, $0) }, uniquingKeysWith: { $1 })
        for path in paths {
            do throws(FormatError) {
                let (id, opened) = try identify(path, before, known)
                // Of several copies one is read: the one with the most entries, or else the one that was read before.
                if let file = known[id] {
                    if let opened, file.isOlder(than: opened) || file.isContinued(by: opened),
                        newer[id].map({ $0.isOlder(than: opened) }) ?? true
                    {
                        if newer.count >= Self.maximumOpenFiles / 2 { opened.close() }
                        newer[id] = opened
                        found[id] = path
                    } else if newer[id] == nil, found[id] == nil || file.path.isExactly(path) {
                        if let opened { file.giveWay(to: opened) }
                        // The copy is examined again, since it may be written to from now on.
                        if file.path.isExactly(path), file.hasNoName, JournalFile.isArchived(path), file.unread == 0 {
                            // Nobody writes to an archived file.
                            file.close()
                        } else if file.path.isExactly(path), file.hasNoName {
                            hasCopyOfDeleted = true
                            seen[ExactString(path)] = nil
                        }
                        found[id] = path
                    }
                } else {
                    let file = if let opened { opened } else { try JournalFile(path) }
                    if new.count >= Self.maximumOpenFiles / 2 { file.close() }
                    if let other = new[id], other.header.entryCount >= file.header.entryCount { continue }
                    found[id] = path
                    new[id] = file
                }
            } catch {
                // It was renamed or deleted during the scan.
                if error == .io(errno: ENOENT) {
                    isWhole = false
                } else {
                    problems.append(Problem(path: path, error: error))
                }
            }
        }
        // A known file keeps its place under any name.
        for (id, path) in found where newer[id] == nil { known[id]?.rename(to: path) }
        for (id, file) in newer {
            // It continues where the other was read to.
            if let other = known[id] { leave(other) }
            new[id] = file
        }
        // Those that were read before come first, because the start may be corrected by them.
        let order = new.sorted { one, other in
            let (isKnown, isOtherKnown) = (saved[one.key] != nil, saved[other.key] != nil)
            return isKnown == isOtherKnown ? one.value.path < other.value.path : isKnown
        }
        for (_, file) in order {
            do throws(FormatError) { try add(file) } catch { problems.append(Problem(path: file.path, error: error)) }
        }
        for file in files {
            let isFound = found[file.header.fileID] != nil
            file.note(
                isFound: isFound, isAtPath: isFound || seen[ExactString(file.path)] == nil,
                hasSuccessor: !isFound
                    && files.contains { $0.isWrittenInstead(of: file) && found[$0.header.fileID] != nil })
            if let problem = file.problem, !problems.contains(where: { $0.path.isExactly(file.path) }) {
                problems.append(Problem(path: file.path, error: problem))
            }
            // It is tried again.
            file.problem = nil
        }
        removeDeleted()
        if isWhole && !problems.contains(where: \.error.mayPass) {
            forgetSaved(except: Set(exact: problems.map(\.path)))
        } else {
            missedBefore = []
        }
        return problems
    }

    /// Whether files that were read earlier were not found for the first time: another scan finds them, or forgets them.
    var hasMissed: Bool { !missedBefore.isEmpty }

    /// Whether deleted files are still open.
    var hasDeleted: Bool { hasCopyOfDeleted || files.contains { $0.isDeleted && $0.isOpen } }

    /// Identifies the file at the path. An archived file is not opened again while it seems unchanged.
    /// - Returns: its id and, if it had to be opened for that, the file.
    private func identify(
        _ path: String, _ before: [ExactString: SeenFile], _ known: [ID128: JournalFile]
    ) throws(FormatError) -> (ID128, JournalFile?) {
        let stamp = try OpenFile.stamp(path: path)
        if let last = before[ExactString(path)], isSame(last, stamp, path, known[last.fileID]) {
            seen[ExactString(path)] = SeenFile(stamp: stamp, fileID: last.fileID)
            return (last.fileID, nil)
        }
        let file = try JournalFile(path)
        seen[ExactString(path)] = SeenFile(stamp: stamp, fileID: file.header.fileID)
        return (file.header.fileID, file)
    }

    /// Whether a path still has the same file. If the file is open and being written to, each reading of its header
    /// shows whether another file was written over it.
    private func isSame(_ seen: SeenFile, _ stamp: FileStamp, _ path: String, _ file: JournalFile?) -> Bool {
        guard !JournalFile.isArchived(path) else { return seen.stamp == stamp }
        guard let file, file.isOpen else { return false }
        return seen.stamp.device == stamp.device && seen.stamp.inode == stamp.inode && file.path.isExactly(path)
    }

    private func add(_ file: JournalFile) throws(FormatError) {
        let id = file.header.fileID
        if let position = saved[id], try file.resume(at: position) {
            // An older copy has fewer than were promised.
            noteRest(of: position, behind: file.header.entryCount, replacedBy: file.header)
        } else {
            // Asked for now, the clock is no older than the entries that the header counts.
            correctStart()
            file.begin()
            if let position = saved[id] { noteRest(of: position, replacedBy: file.header) }
        }
        saved[id] = nil
        forgotten.remove(id)
        files.append(file)
        closeSome()
    }

    /// If the start is in the future, because the clock was set back since, begins behind what was read by then: what was
    /// written since the clock was set back would be skipped. If nothing was read whose time has come, everything is new.
    private func correctStart() {
        let now = clock()
        guard correctsStart, start > now else { return }
        let last = files.compactMap { $0.position.last } + saved.values.compactMap(\.last)
        // What is not passed yet will be.
        let times = last.map(\.cursor.realtimeMicroseconds) + files.map(\.tailAtBegin)
        start = times.filter { $0 > 0 && $0 < now }.max().map { $0 + 1 } ?? 0
    }

    /// Reads the file that is now in the place of another if it is an older copy of that.
    private func readCopy(inPlaceOf file: JournalFile) throws(FormatError) {
        let copy = try JournalFile(file.path)
        guard copy.header.fileID == file.header.fileID else { return }
        leave(file)
        try add(copy)
    }

    /// Stops reading a file, which another copy continues.
    private func leave(_ file: JournalFile) {
        saved[file.header.fileID] = file.position
        files.removeAll { $0 === file }
        file.close()
    }

    /// Removes the files that are gone. A file that is open is still read to its end; the rest of any other file is
    /// lost.
    private func removeDeleted() {
        for file in files where file.isDeleted && !file.isOpen && file.unread > 0 {
            let isOld = file.isUnwanted(before: start)
            if let loss = file.giveUp(), !isOld { note(loss, of: file.position, index: 0, &gaps) }
        }
        for file in files where file.isDone { forget(file.position, isWhole: file.isComplete) }
        files.removeAll(where: \.isDone)
    }

    /// - Parameter isWhole: whether it is known how many entries the file had.
    private func forget(_ position: FilePosition, isWhole: Bool) {
        forgotten.insert(position.fileID)
        guard let last = position.last else { return }
        if !isWhole {
            let end = max(last.cursor.seqnum, position.promisedSeqnums?.upperBound ?? 0)
            for chain in chains.ofFile(position) { chain.noteOpenEnd(at: end) }
        }
        if lastOfGone.count >= Self.maximumOpenFiles { lastOfGone.removeFirst() }
        lastOfGone.append(last.cursor)
    }

    /// Forgets files that were read earlier and are gone: the entries that their headers counted and that were not read
    /// are missing.
    /// - Parameter damaged: the paths of files that can no longer be read.
    private func forgetSaved(except damaged: Set<ExactString>) {
        let missed = saved.filter { !damaged.contains(ExactString($0.value.path)) }
        // A file has no name for a moment while it is renamed.
        defer { missedBefore = Set(missed.keys).intersection(saved.keys) }
        for (id, position) in missed where missedBefore.contains(id) {
            defer {
                forget(position, isWhole: JournalFile.isArchived(position.path))
                saved[id] = nil
            }
            noteRest(of: position)
        }
    }

    /// Notes as lost what a file had that is gone and was not read to its end.
    /// - Parameters:
    ///   - end: the number of its entries that an older copy has.
    ///   - copy: the header of what is in its place.
    private func noteRest(of position: FilePosition, behind end: UInt64 = 0, replacedBy copy: FileHeader? = nil) {
        let end = max(position.entries, end)
        guard position.promisedEntries > end else { return }
        let count = position.promisedEntries - end
        var numbers = position.promisedSeqnums
        if let last = position.last?.cursor.seqnum, let promised = numbers {
            numbers = last < promised.upperBound ? last + 1...promised.upperBound : nil
        }
        var loss = FileLoss(
            cause: .deleted, count: count, range: position.offset..<position.offset, from: position.last?.cursor,
            numbers: numbers.flatMap { FileLoss.plausible($0, count: count) })
        // Other entries of a copy do not show that the file has returned.
        if let last = position.promisedSeqnums?.upperBound, copy?.seqnums.map({ $0.upperBound < last }) ?? true {
            loss.lastSeqnum = last
        }
        note(loss, of: position, index: 0, &gaps)
    }

    /// Reads the headers again, to see which files have more entries.
    func look() {
        for file in files where !file.isComplete && (file.isOpen || !file.isDeleted) {
            do throws(FormatError) {
                try file.look()
            } catch  where file.isDeleted && (!error.mayPass || error == .io(errno: ESTALE)) {
                // journald, or who deleted it, has removed its content.
                if file.unread == 0 { file.close() }
            } catch {
                // The next scan finds a file that was archived or deleted a moment ago.
                if ![.replaced, .incomplete, .io(errno: ENOENT)].contains(error) { file.problem = error }
                if error == .replaced {
                    seen[ExactString(file.path)] = nil
                    // If it cannot be read at the moment, the next scan finds it.
                    try? readCopy(inPlaceOf: file)
                }
            }
            closeSome()
        }
        correctStart()
    }

    /// Closes some files: first those that are not being read, then those whose turn comes last. A deleted file cannot
    /// be opened again, so it is closed last.
    private func closeSome() {
        guard files.count > Self.maximumOpenFiles else { return }
        let open = files.filter(\.isOpen)
        guard open.count > Self.maximumOpenFiles else { return }
        func rank(_ file: JournalFile) -> Int {
            file.isDeleted ? file.unread > 0 ? 3 : 2 : file.isBeingRead ? 1 : 0
        }
        let order = open.sorted { (rank($0), $1.nextTime) < (rank($1), $0.nextTime) }
        for file in order.prefix(open.count - Self.maximumOpenFiles) { file.close() }
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
    private func note(_ loss: FileLoss, of file: FilePosition, index: Int, _ gaps: inout [Gap]) {
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

/// The file that was at a path.
private struct SeenFile {
    var stamp: FileStamp
    var fileID: ID128
}
