import Linux
import Model

/// Reads one journal from the saved position, without waiting. Only one thread may use it at a time.
final class JournalSession {
    /// The interval of checks for new entries without a notification.
    static let checkInterval = Duration.seconds(2)
    /// The interval of scans of the folders when the kernel reports no new or removed files.
    private static let scanInterval = Duration.seconds(10)
    /// The most scans in a row while files are renamed.
    private static let maximumScans = 4
    /// The shortest interval of scans while files are created or renamed.
    private static let pause = Duration.milliseconds(100)

    /// The progress towards a time up to which nothing is missing without a record.
    private enum Account {
        /// All entries were read, and it is known which are missing.
        case settled(until: UInt64?)
        /// A scan at this time found the files. When they are read, missing numbers will show.
        case open(since: UInt64)
        /// Numbers were missing. The files were scanned again, because entries may have been added to one that was
        /// already read.
        case again(since: UInt64)
    }

    private let folders: JournalFolders
    private let files: FileSet
    private let clock: @Sendable () -> UInt64
    private var notices: FolderNotices
    /// The end of the last scan, and how long it took.
    private var lastScan: ContinuousClock.Instant?
    private var scanTime = Duration.zero
    private var lastCheck: ContinuousClock.Instant?
    /// The files that were not complete when they were examined, and when they were first found.
    private var incomplete: [ExactString: ContinuousClock.Instant] = [:]
    private var isFileBeingCreated = false
    private var lastLook = JournalFolders.Look()
    /// The folders with journals that are not covered, and when they were looked for.
    private var uncovered: (folders: [String], time: ContinuousClock.Instant)?
    private var fileProblems: [FileSet.Problem] = []
    private var account = Account.settled(until: nil)
    /// The holes that were seen once: candidates for `reported`.
    private var suspected: [BootOfMachine: [JournalHole]] = [:]
    /// The numbers of the holes that were reported, ascending.
    private var reported: [BootOfMachine: [MissingRange]]
    /// The time from which entries are read, in microseconds since 1970, if it was determined just now.
    let newStart: UInt64?
    /// The start that the caller has; `nil` before the first batch.
    private var savedStart: UInt64?
    private var conditionIsOld = true

    /// - Parameters:
    ///   - state: how far the journal was read earlier; `nil` begins at `options.start`.
    ///   - isWatched: `false` polls for changes instead of using the kernel's notifications.
    ///   - clock: returns the time in microseconds since 1970.
    init(
        options: JournalOptions, rules: [SourceRule], from state: ReadingState?, isWatched: Bool = true,
        clock: @escaping @Sendable () -> UInt64 = wallClock
    ) {
        folders = JournalFolders(options.location)
        self.clock = clock
        notices = FolderNotices(isOn: isWatched)
        let start = state?.startMicroseconds ?? options.start.microseconds(now: clock())
        newStart = state == nil ? start : nil
        savedStart = state?.startMicroseconds
        reported = state?.missing ?? [:]
        files = FileSet(
            rules: rules, options: options,
            from: state ?? ReadingState(startMicroseconds: start), clock: clock)
    }

    /// Uses other rules from the next entry on.
    func setRules(_ rules: [SourceRule]) { files.use(rules) }

    /// Makes the next `read` scan for files, however recent the last scan was.
    func checkSoon() { lastScan = nil }

    // MARK: Reading

    /// Reads the entries that exist.
    func read(_ limit: BatchLimit) -> EntryBatch {
        var batch = EntryBatch()
        scanIfDue()
        repeat {
            files.look()
            files.read(limit, into: &batch)
        } while batch.reachedEnd && !settle(&batch)
        if files.start != savedStart {
            batch.progress.startMicroseconds = files.start
            savedStart = files.start
        }
        batch.progress.add(files.takeProgress())
        if !batch.progress.isEmpty { conditionIsOld = true }
        return batch
    }

    /// Determines what is missing, after all known entries were read.
    /// - Returns: `false` when there may be more to read first.
    private func settle(_ batch: inout EntryBatch) -> Bool {
        switch account {
        case .settled: break
        case .open where hasNewProblem, .again where hasNewProblem:
            // The next scan reports it, or finds the file under another name.
            checkSoon()
        case .open(let time):
            // A file that cannot be read at the moment may have the missing numbers.
            if isWhole, !report(into: &batch) {
                account = .again(since: time)
                scan()
                return false
            }
            account = .settled(until: time)
        case .again(let time):
            if isWhole, !report(into: &batch) {
                // Files are deleted faster than they are scanned.
                checkSoon()
                break
            }
            account = .settled(until: time)
        }
        // If there is no journal, nothing was read.
        if case .settled(let time) = account, lastLook.isThere { batch.readUntilMicroseconds = time }
        return true
    }

    /// Reports the holes of each boot, if all of them were already there at the last check.
    /// - Returns: `false` when a boot has new holes. The earlier report for it stays.
    private func report(into batch: inout EntryBatch) -> Bool {
        var others: [BootOfMachine: [JournalHole]] = [:]
        for (boot, found) in files.chains.takeChangedHoles() {
            let before = reported[boot] ?? []
            let known = before + (suspected[boot] ?? []).map(MissingRange.init)
            guard found.allSatisfy({ $0.isAmong(known) }) else {
                others[boot] = found
                continue
            }
            let holes = (found + files.chains.unreached(before, of: boot, without: found))
                .sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
            reported[boot] = holes.isEmpty ? nil : holes.map(MissingRange.init)
            guard holes.map(\.numbers) != before.map(\.numbers) else { continue }
            batch.progress.holes[boot] = holes.map { gap($0, in: batch) }
        }
        suspected = others
        files.chains.recheck(at: others.keys)
        return others.isEmpty
    }

    /// Returns the gap of a hole. It comes before the first event of the batch that is not older than the entry after
    /// the hole.
    private func gap(_ hole: JournalHole, in batch: EntryBatch) -> Gap {
        var gap = files.gap(hole)
        let next = gap.to?.realtimeMicroseconds ?? .max
        gap.entryIndex =
            batch.entries.firstIndex { $0.realtimeMicroseconds >= next } ?? batch.entries.count
        return gap
    }

    // MARK: Looking for files

    /// Scans for files and reads their headers, without reading entries.
    func look() {
        scanIfDue()
        files.look()
        conditionIsOld = true
    }

    private func scanIfDue() {
        let (now, time) = (ContinuousClock.now, clock())
        if notices.takeNameChange() || isOld(lastScan, now, scanInterval) {
            lastScan = now
            lastCheck = now
            expectMore(since: time)
            scan()
            scanTime = .now - now
            if lastScan != nil { lastScan = now + scanTime }
        } else if notices.shortage == nil, isOld(lastCheck, now, Self.checkInterval) {
            // The files are still those of the last scan, because the kernel had reported no others after this time.
            lastCheck = now
            expectMore(since: time)
        }
    }

    private func isOld(_ last: ContinuousClock.Instant?, _ now: ContinuousClock.Instant, _ age: Duration) -> Bool {
        last.map { now - $0 >= age } ?? true
    }

    private var scanInterval: Duration {
        // That a file is complete now is not reported.
        if isFileBeingCreated { return min(pause, Self.checkInterval) }
        return areNoticed ? Self.scanInterval : Self.checkInterval
    }

    /// Long enough that scans of many files take at most a tenth of the time.
    private var pause: Duration { max(Self.pause, scanTime * 9) }

    /// Whether the kernel reports each file that appears or disappears, and everything that exists could be read. The removal of a
    /// folder is reported only when the files that were deleted from it are closed.
    private var areNoticed: Bool {
        notices.shortage == nil && lastLook.problems.isEmpty && fileProblems.isEmpty && !files.hasDeleted
    }

    private func expectMore(since time: UInt64) {
        if case .settled = account { account = .open(since: time) }
    }

    private func scan() {
        for _ in 0..<Self.maximumScans {
            lookForFiles()
            // A file that was renamed during the scan may have been missed under both names. Then entries after its own
            // would be read first, and its own would seem to be gone.
            guard notices.takeNameChange() || files.hasMissed else { return }
        }
        checkSoon()
    }

    private func lookForFiles() {
        let existing = folders.existing()
        // From here on, changes are reported by the kernel; earlier changes are seen by this scan.
        notices.watch(existing)
        let look = folders.look(into: existing)
        lastLook = look
        if isOld(uncovered?.time, .now, Self.checkInterval) {
            uncovered = (folders.uncovered(besides: existing), .now)
        }
        conditionIsOld = true
        var problems = files.scan(look.files, isWhole: look.problems.isEmpty)
        let now = ContinuousClock.now
        let paths = problems.lazy.filter { $0.error.isOfNewFile }.map { ExactString(wrappedValue: $0.path) }
        incomplete = Dictionary(paths.map { ($0, self.incomplete[$0] ?? now) }, uniquingKeysWith: { $1 })
        // A file that stays incomplete is not one that is just created.
        let new = incomplete.filter { now - $0.value < Self.checkInterval }
        isFileBeingCreated = !new.isEmpty
        problems.removeAll { $0.error.isOfNewFile && new[ExactString(wrappedValue: $0.path)] != nil }
        fileProblems = problems
    }

    /// Whether every file can be read, or will never be readable.
    private var isWhole: Bool {
        lastLook.problems.isEmpty && !fileProblems.contains(where: \.error.mayPass)
    }

    /// Whether a file could not be read since the last scan, and was before.
    private var hasNewProblem: Bool {
        files.files.contains { file in
            file.problem != nil && !fileProblems.contains { $0.path.isExactly(file.path) }
        }
    }

    /// Returns the current condition; `nil` when it has not changed since the last call.
    func takeCondition() -> JournalCondition? {
        defer { conditionIsOld = false }
        return conditionIsOld ? condition : nil
    }

    var condition: JournalCondition {
        let (newest, unread) = files.extent
        var health = JournalHealth(
            problems: lastLook.problems + lastLook.unreadable
                + fileProblems.map { .init(path: $0.path, reason: $0.error.reason) },
            readableFiles: files.files.count, polling: notices.shortage, uncovered: uncovered?.folders ?? [])
        if health.readableFiles == 0, health.problems.isEmpty {
            let path = folders.expected.joined(separator: " or ")
            health.problems.append(.init(path: path, reason: "there are no journal files in it"))
        }
        health.problems.sort { $0.path < $1.path }
        return JournalCondition(
            health: health, newestMicroseconds: newest, oldestUnreadMicroseconds: unread, unreadEntries: files.unread)
    }

    // MARK: Waiting

    /// Blocks until files change, the folders are to be scanned again, or `event` is signalled.
    func wait(atMost duration: Duration, _ event: EventDescriptor) {
        let now = ContinuousClock.now
        let untilScan = lastScan.map { $0 + scanInterval - now } ?? pause
        notices.wait(atMost: max(.zero, min(duration, Self.checkInterval, untilScan)), event)
    }
}

extension MissingRange {
    fileprivate init(_ hole: JournalHole) { self.init(seqnumID: hole.seqnumID, numbers: hole.numbers) }
}

extension JournalHole {
    /// Whether all of its numbers are known to be missing.
    fileprivate func isAmong(_ known: [MissingRange]) -> Bool {
        NumberRanges(all: known.filter { $0.mayBe(of: seqnumID) }.map(\.numbers)).contains(all: numbers)
    }
}

extension StartPoint {
    /// The time from which entries are read, in microseconds since 1970.
    fileprivate func microseconds(now: UInt64) -> UInt64 {
        switch self {
        case .oldest: 0
        case .now: now
        case .ago(let duration): now - min(now, duration.wholeMicroseconds)
        }
    }
}
