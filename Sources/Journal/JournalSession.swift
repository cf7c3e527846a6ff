import Glibc
import Linux
import Model

/// Reads one journal from where it was read to before, without waiting. One thread at a time may use it.
final class JournalSession {
    /// How often it is looked whether there is something new, without a notice.
    static let checkInterval = Duration.seconds(2)
    /// How often the folders are gone through although the kernel says that no file came or went.
    private static let scanInterval = Duration.seconds(10)
    /// How often in a row, while files are renamed.
    private static let maximumLooks = 4

    /// What has to happen before a time can be named by which nothing is missing unnoticed.
    private enum Account {
        /// All was read, and what is missing is known.
        case settled(until: UInt64?)
        /// Files were looked for at this time: when they are read, numbers that are missing show.
        case open(since: UInt64)
        /// Some were missing; files were looked for once more, as entries may have come since into one that was looked at
        /// before.
        case again(since: UInt64)
    }

    private let folders: JournalFolders
    private let files: FileSet
    private let clock: @Sendable () -> UInt64
    private var notices: FolderNotices
    private var lastScan: ContinuousClock.Instant?
    private var lastCheck: ContinuousClock.Instant?
    /// Of files that journald was making when they were looked at.
    private var incomplete: Set<ExactString> = []
    private var lastLook = JournalFolders.Look()
    private var fileProblems: [FileSet.Problem] = []
    private var account = Account.settled(until: nil)
    /// Seen once: as candidates for `reported`.
    private var suspected: [BootOfMachine: [Chains.Hole]] = [:]
    private var reported: [BootOfMachine: [Chains.Hole]] = [:]
    /// Boots of which another process may have reported others.
    private var unsure: Set<BootOfMachine>
    private var unsavedStart: UInt64?
    private var conditionIsOld = true

    /// - Parameters:
    ///   - state: how far the journal was read before; `nil` begins at `options.start`.
    ///   - isWatched: `false` looks for changes instead of having the kernel tell them.
    ///   - clock: microseconds since 1970.
    init(
        options: JournalOptions, rules: [SourceRule], from state: ReadingState?, isWatched: Bool = true,
        clock: @escaping @Sendable () -> UInt64 = wallClock
    ) {
        folders = JournalFolders(options.location)
        self.clock = clock
        notices = FolderNotices(isOn: isWatched)
        let start = state?.startMicroseconds ?? options.start.microseconds(now: clock())
        unsavedStart = state == nil ? start : nil
        unsure = Set(state?.chains.keys.map(\.boot) ?? [])
        files = FileSet(
            rules: rules, options: options,
            from: state ?? ReadingState(startMicroseconds: start), clock: clock)
    }

    /// From the next entry on.
    func setRules(_ rules: [SourceRule]) { files.use(rules) }

    /// The next `read` looks for files, however short ago the last look was.
    func checkSoon() { lastScan = nil }

    // MARK: Reading

    /// Reads what is there.
    func read(_ limit: BatchLimit) -> EntryBatch {
        var batch = EntryBatch()
        batch.progress.startMicroseconds = unsavedStart
        unsavedStart = nil
        scanIfDue()
        repeat {
            files.look()
            files.read(limit, into: &batch)
        } while batch.reachedEnd && !settle(&batch)
        batch.progress.add(files.takeProgress())
        if !batch.progress.isEmpty { conditionIsOld = true }
        return batch
    }

    /// What was there was read to its end: finds out what is missing.
    /// - Returns: `false` when there may be more to read first.
    private func settle(_ batch: inout EntryBatch) -> Bool {
        switch account {
        case .settled: break
        case .open(let time):
            // What cannot be read for now may have the numbers that are missing.
            if isWhole, !report(into: &batch) {
                account = .again(since: time)
                scan()
                return false
            }
            account = .settled(until: time)
        case .again(let time):
            if isWhole, !report(into: &batch) {
                // Files are deleted faster than they are looked for.
                checkSoon()
                break
            }
            account = .settled(until: time)
        }
        // Where there is no journal, none has been read.
        if case .settled(let time) = account, lastLook.isThere { batch.readUntilMicroseconds = time }
        return true
    }

    /// Reports the holes of each boot, if all of them were there at the last look as well.
    /// - Returns: `false` when there is a boot with others. Of that, what was reported before stays.
    private func report(into batch: inout EntryBatch) -> Bool {
        var others: [BootOfMachine: [Chains.Hole]] = [:]
        for (boot, holes) in files.otherHoles() {
            let known = (reported[boot] ?? []) + (suspected[boot] ?? [])
            let areKnown = holes.allSatisfy { hole in known.contains { $0.contains(hole) } }
            guard areKnown else {
                others[boot] = holes
                continue
            }
            guard unsure.remove(boot) != nil || reported[boot, default: []] != holes else { continue }
            reported[boot] = holes.isEmpty ? nil : holes
            batch.progress.holes[boot] = holes.map { gap($0, in: batch) }
        }
        suspected = others
        files.lookAgain(at: others.keys)
        return others.isEmpty
    }

    /// It lies before the first event of the batch that is not older than what comes behind it.
    private func gap(_ hole: Chains.Hole, in batch: EntryBatch) -> Gap {
        var gap = files.gap(hole)
        let next = gap.to?.realtimeMicroseconds ?? .max
        gap.entryIndex =
            batch.entries.firstIndex { $0.realtimeMicroseconds >= next } ?? batch.entries.count
        return gap
    }

    // MARK: Looking for files

    /// Looks what there is, without reading entries.
    func look() {
        scanIfDue()
        files.look()
        conditionIsOld = true
    }

    private func scanIfDue() {
        let (now, time) = (ContinuousClock.now, clock())
        if notices.takeNameChange() || isOld(lastScan, now, areNoticed ? Self.scanInterval : Self.checkInterval) {
            lastScan = now
            lastCheck = now
            expectMore(since: time)
            scan()
        } else if isOld(lastCheck, now, Self.checkInterval) {
            // The files are still those of the last look, as the kernel had not told of others after this time.
            lastCheck = now
            expectMore(since: time)
        }
    }

    private func isOld(_ last: ContinuousClock.Instant?, _ now: ContinuousClock.Instant, _ age: Duration) -> Bool {
        last.map { now - $0 >= age } ?? true
    }

    /// Whether the kernel tells of each file that comes or goes, and what is there could be read.
    private var areNoticed: Bool { notices.shortage == nil && lastLook.problems.isEmpty && fileProblems.isEmpty }

    private func expectMore(since time: UInt64) {
        if case .settled = account { account = .open(since: time) }
    }

    private func scan() {
        // What stays as it is, journald does not make.
        let before = incomplete
        for _ in 0..<Self.maximumLooks {
            lookForFiles(incompleteBefore: before)
            // A file that was renamed meanwhile may have been found by neither name: what comes behind it would be read
            // before it.
            guard notices.takeNameChange() else { return }
        }
    }

    private func lookForFiles(incompleteBefore before: Set<ExactString>) {
        let existing = folders.existing()
        // What changes from now on is told; what changed before is seen now.
        notices.watch(existing)
        let look = folders.look(into: existing)
        lastLook = look
        conditionIsOld = true
        var problems = files.scan(look.files, isWhole: look.problems.isEmpty)
        incomplete = Set(problems.lazy.filter { $0.error == .incomplete }.map { ExactString(wrappedValue: $0.path) })
        problems.removeAll { $0.error == .incomplete && !before.contains(ExactString(wrappedValue: $0.path)) }
        fileProblems = problems
    }

    /// Whether all files can be read, or never will be.
    private var isWhole: Bool {
        lastLook.problems.isEmpty && !fileProblems.contains(where: \.error.mayPass)
    }

    /// What there is, as the last look found it; `nil` when that is what it was at the last call.
    func takeCondition() -> JournalCondition? {
        defer { conditionIsOld = false }
        return conditionIsOld ? condition : nil
    }

    var condition: JournalCondition {
        let (newest, unread) = files.extent
        var health = JournalHealth(
            problems: lastLook.problems + fileProblems.map { .init(path: $0.path, reason: $0.error.reason) },
            readableFiles: files.files.count, polling: notices.shortage, uncovered: lastLook.uncovered)
        if health.readableFiles == 0, health.problems.isEmpty {
            let path = folders.expected.joined(separator: " or ")
            health.problems.append(.init(path: path, reason: "there are no journal files in it"))
        }
        health.problems.sort { $0.path < $1.path }
        return JournalCondition(
            health: health, newestMicroseconds: newest, oldestUnreadMicroseconds: unread, unreadEntries: files.unread)
    }

    // MARK: Waiting

    /// Blocks until files change, or `event` is signalled.
    func wait(atMost duration: Duration, _ event: EventDescriptor) {
        notices.wait(atMost: min(duration, Self.checkInterval), event)
    }
}

extension StartPoint {
    /// Since when entries are read, in microseconds since 1970.
    fileprivate func microseconds(now: UInt64) -> UInt64 {
        switch self {
        case .oldest: 0
        case .now: now
        case .ago(let duration): now - min(now, duration.wholeMicroseconds)
        }
    }
}
