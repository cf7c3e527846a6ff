import API
import Dictionaries
import Glibc
import Journal
import Linux
import Model
import Serve
import Store
import Watches

/// Answers the control API's questions about the daemon itself, which the store cannot answer.
struct DaemonState: DaemonInterface {
    let problems: ProblemSearch
    let diagnostics: Diagnostics
    private let startedAtMicroseconds = wallClock()
    private let started = ContinuousClock.now

    private var parts: Parts { problems.parts }
    private var reloader: Reloader { problems.reloader }
    var checklists: ChecklistKeeper { parts.checklists }
    var alerts: AlertKeeper { parts.alerts }

    init(problems: ProblemSearch, diagnostics: Diagnostics) {
        (self.problems, self.diagnostics) = (problems, diagnostics)
    }

    func status() async -> DaemonStatus {
        let intake = parts.progress.snapshot
        // Clients that wait until the journal is read ask for the status repeatedly: they should not wait for the next poll.
        parts.reader.wake()
        let rate = parts.progress.entriesPerSecond()
        let sinks = await parts.delivery.activities()
        let uptime = ContinuousClock.now - started
        let privacy = await reloader.privacy
        let problems = await problems.current().shown
        return DaemonStatus(
            version: glossVersion,
            state: state(intake, problems),
            problems: problems,
            startedAtMicroseconds: startedAtMicroseconds,
            uptime: uptime,
            pid: getpid(),
            journal: JournalStatus(intake, location: parts.journal.location, entriesPerSecond: rate),
            sinks: sinks,
            isPaused: intake.paused != nil,
            privacy: privacy,
            reprocessing: await parts.reprocessor.progress)
    }

    private func state(_ intake: IntakeProgress.Snapshot, _ problems: [StatusProblem]) -> StatusReply.State {
        if intake.paused != nil { return .paused }
        if !problems.isEmpty { return .degraded }
        return intake.caughtUpAt == nil ? .catchingUp : .running
    }

    func counts() async -> DaemonCounts {
        DaemonCounts(
            stored: parts.progress.snapshot.stored, delays: parts.progress.delays.counts,
            attempts: await parts.delivery.attempts(), diagnostics: await diagnostics.counts)
    }

    func dictionaries() async -> [LoadedDictionary] { await reloader.dictionaries }
    func dictionary(_ name: String) async -> LoadedDictionary? { await reloader.dictionary(named: name) }
    func rules() async -> [SourceRule] { await reloader.rules }
    func predicates() async -> [ExactString: ExactString] { await reloader.predicates }
    func replacements() -> Int { reloader.replacements }
    func reload() async throws -> ReloadReply { try await reloader.reload() }
    func hash(of value: String) -> String { reloader.hash(of: value) }
    func diagnosticList() async -> DiagnosticList { await diagnostics.list() }

    func journalEntry(_ place: EntryPlace, bytes: Int) async throws -> JournalEntry? {
        try await parts.lookup.entry(at: place, bytes: bytes)
    }

    func verify(
        since: UInt64, progress: (JournalVerification, Double) async throws -> Void
    ) async throws -> JournalVerification {
        var verifier = JournalVerifier(
            store: parts.store, journal: parts.journal, savedAs: parts.journalName, rules: await reloader.rules)
        return try await verifier.run(since: since, progress: progress)
    }

    /// While tails are open, the reader polls every 5 ms instead of waiting for journald's notice.
    func tailsChanged(_ count: Int) { parts.reader.setPolling(count > 0) }
}

/// Finds what is wrong.
struct ProblemSearch: Sendable {
    let parts: Parts
    let reloader: Reloader
    let maintenance: Maintenance

    func current() async -> CurrentProblems {
        let intake = parts.progress.snapshot
        let ofStore = StatusProblem.of(store: parts.store, paused: intake.paused)
        let (dictionaries, sinks) = (await reloader.dictionaries, await parts.delivery.activities())
        var others = await maintenance.problems
        others += await reloader.problems
        others += StatusProblem.of(intake: intake, dictionaries: dictionaries, sinks: sinks)
        others += parts.archive.problems
        others += StatusProblem.of(privacy: await reloader.privacy, watching: parts.watcher.shortage)
        others += await parts.reprocessor.problems
        others += await parts.delivery.problems
        others += await parts.checklists.problems
        others += await parts.alerting.problems()
        return CurrentProblems(ofStore: ofStore, others: others)
    }
}

/// What is wrong at one time.
struct CurrentProblems: Sendable {
    /// What status shows.
    let shown: [StatusProblem]
    /// What is not shown, since a problem of the store says why it lasts.
    let hidden: [StatusProblem]

    /// What also follows from a problem of the store.
    private static let waiting = Set(
        [
            Diagnostic.storeNotMaintained, .storeNotReprocessed, .dictionaryNotKept, .sinkNotOpened, .sinkWaiting,
            .alertNotInForce, .alertNotCounted, .checklistNotCounted, .notifierWaiting,
        ].map(\.rawValue))

    /// A problem of the store is shown once, not again for all that wait for it.
    init(ofStore: [StatusProblem] = [], others: [StatusProblem]) {
        hidden = ofStore.isEmpty ? [] : others.filter { Self.waiting.contains($0.code) }
        shown = ofStore + (ofStore.isEmpty ? others : others.filter { !Self.waiting.contains($0.code) })
    }
}

extension JournalStatus {
    fileprivate init(
        _ intake: IntakeProgress.Snapshot, location: JournalLocation, entriesPerSecond: Double
    ) {
        let health = intake.journal.health
        self.init(
            location: location.name,
            files: health.readableFiles,
            positionTime: intake.positionMicroseconds.map(WireTime.init(microseconds:)),
            completeUntil: intake.completeUntilMicroseconds.map(WireTime.init(microseconds:)),
            lagSeconds: intake.lag.map { $0 / .seconds(1) },
            entriesRead: intake.entriesRead,
            entriesPerSecond: entriesPerSecond,
            catchUp: intake.caughtUpAt == nil ? CatchUp(intake, entriesPerSecond: entriesPerSecond) : nil,
            unreadableFiles: health.problems.map { .init(path: $0.path, reason: $0.reason) },
            uncovered: health.uncovered.isEmpty ? nil : health.uncovered)
    }
}

extension IntakeProgress.Snapshot {
    /// The time from the oldest entry that is not stored yet to the newest entry; `nil` when it is unknown. It is at most the
    /// time since the end was last reached, because a file that is added later has old entries.
    var lag: Duration? {
        guard let newest = journal.newestMicroseconds else { return nil }
        let waiting = [journal.oldestUnreadMicroseconds, unsavedMicroseconds].compactMap(\.self).min()
        let lag = Duration.microseconds(Int64(clamping: newest - min(newest, waiting ?? newest)))
        return lastEnd.map { min(lag, ContinuousClock.now - $0) } ?? lag
    }
}

extension JournalStatus.CatchUp {
    /// The part of the journal that was read.
    fileprivate init?(_ intake: IntakeProgress.Snapshot, entriesPerSecond: Double) {
        let read = Double(intake.entriesRead) + Double(intake.entriesPassed)
        let unread = Double(intake.journal.unreadEntries)
        guard read + unread > 0 else { return nil }
        self.init(
            percent: read / (read + unread) * 100, entriesPerSecond: entriesPerSecond,
            // Without a rate, the remaining time is unknown.
            secondsLeft: entriesPerSecond > 0 && intake.paused == nil ? unread / entriesPerSecond : nil)
    }
}
