import Logging
import Model
import Resolve
import Serve
import ServiceLifecycle
import Store

/// Resolves stored events again when the definitions that they were held against have changed: in the background, a few
/// at a time, and never more than half of the time that the store has for writing.
///
/// It keeps no notes: each event says with which version it was resolved, so that whatever interrupts it, the next start
/// or the next change goes on with what is left.
actor ResolveAgain: Service {
    /// The most of one step, and so of one transaction.
    private static let eventsPerStep = 256
    /// Batches that were resolved before a change may be saved shortly after it: a second look finds their events.
    private static let secondLook = Duration.seconds(2)
    /// After the store could not be read or written.
    private static let retryInterval = Duration.seconds(5)
    /// How many versions of one dictionary are looked at more closely.
    private static let comparedVersions = 8

    private let store: EventStore
    private let archive: DictionaryArchive
    private let revealed: RevealedMark
    private let logger: Logger
    private let queue = WorkQueue("gloss.resolve-again")
    private let clock = ContinuousClock()
    private let looks: AsyncStream<Void>
    private let look: AsyncStream<Void>.Continuation
    private var lexicon: Lexicon
    /// Counts what was put in force.
    private var changes = 0
    private var looksLeft = 2
    private var isRevealing = false
    private var hasFailed = false
    /// In ids of stored events; `nil` when there is nothing to do.
    private(set) var progress: ResolvingAgain?

    init(
        store: EventStore, archive: DictionaryArchive, revealed: RevealedMark, lexicon: Lexicon, logger: Logger
    ) {
        self.store = store
        self.archive = archive
        self.revealed = revealed
        self.lexicon = lexicon
        self.logger = logger
        (looks, look) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// To be called before private values are first stored as they are: what is stored so is remembered, until it has
    /// been protected.
    func willReveal() throws(RevealedMark.Failure) {
        isRevealing = true
        try revealed.set()
    }

    /// Begins anew with these dictionaries.
    func use(_ lexicon: Lexicon) {
        self.lexicon = lexicon
        if lexicon.privacy == .protect { isRevealing = false }
        changes += 1
        looksLeft = 2
        look.yield()
    }

    func run() async throws {
        look.yield()
        for await _ in looks.cancelOnGracefulShutdown() {
            let change = changes
            let isDone = await resolveAgain()
            if isDone && change == changes { looksLeft -= 1 }
            if looksLeft > 0 {
                lookAgain(after: isDone ? Self.secondLook : Self.retryInterval)
            } else {
                forgetRevealed()
            }
        }
    }

    /// After a second look, every event that was stored with private values has been gone through.
    private func forgetRevealed() {
        // A dictionary that could not be loaded yet will say what of its events is private.
        guard lexicon.privacy == .protect, !isRevealing, lexicon.dictionaries.allSatisfy({ !$0.version.isEmpty }),
            revealed.isSet, !Task.isCancelled, !Task.isShuttingDownGracefully
        else { return }
        do throws(RevealedMark.Failure) {
            try revealed.clear()
            logger.notice("What was stored while privacy was set to reveal is protected now.")
        } catch {
            logger.error("\(error)")
        }
    }

    private func lookAgain(after time: Duration) {
        let look = look
        Task {
            try? await Task.sleep(for: time)
            look.yield()
        }
    }

    /// One look, and what follows from it.
    /// - Returns: whether the store could be read and written.
    func resolveAgain() async -> Bool {
        do throws(StoreError) {
            let change = changes
            let series = try await concernedSeries()
            if !series.isEmpty { try await resolve(series, until: change) }
            hasFailed = false
            return true
        } catch {
            // What keeps failing is told once.
            if !hasFailed { logger.error("Stored events could not be resolved again: \(error)") }
            hasFailed = true
            return false
        }
    }

    // MARK: what is concerned

    private func concernedSeries() async throws(StoreError) -> Set<Int64> {
        let lexicon = lexicon
        let effect = await queue.run { [revealed] in
            ChangeEffect(lexicon.dictionaries, privacy: lexicon.privacy, wasRevealed: revealed.isSet)
        }
        let kinds = try await store.storedKinds(resolutions: effect.resolutions)
        var concerned: Set<Int64> = []
        // Version by version, so that one at a time is in memory.
        for (version, kinds) in Dictionary(grouping: kinds, by: { Version($0, effect) }) {
            let past = try await past(version)
            await concerned.formUnion(queue.run { kinds.filter { effect.concerns($0, past: past) }.map(\.series) })
        }
        return concerned
    }

    /// What the stored events of some series are to be compared with.
    private struct Version: Hashable {
        /// `nil` when there is nothing to compare.
        var options: DictionaryOptions?
        var version: String?

        init(_ stored: StoredKind, _ effect: ChangeEffect) {
            options = effect.comparison(for: stored)
            version = options == nil ? nil : stored.kind.definitionsVersion
        }
    }

    private func past(_ version: Version) async throws(StoreError) -> ChangeEffect.Past? {
        guard let options = version.options else { return nil }
        let records = try await store.versions(ofDictionary: options.name).prefix(Self.comparedVersions)
        guard let record = records.first(where: { $0.version == version.version }),
            let dictionary = try await archive.dictionary(options, version: record.version)
        else { return nil }
        return ChangeEffect.Past(dictionary, record: record)
    }

    // MARK: resolving

    private func resolve(_ series: Set<Int64>, until change: Int) async throws(StoreError) {
        let statistics = try await store.statistics()
        guard let oldest = statistics.oldestEventID else { return }
        let total = statistics.newestEventID - oldest + 1
        progress = ResolvingAgain(done: 0, total: total)
        defer { progress = nil }
        var resolver = lexicon.resolver
        var tally = Tally()
        defer { if tally.events > 0 { logger.notice("\(tally)") } }
        let limit = min(Self.eventsPerStep, store.maximumReplacements)
        var place: Int64? = oldest - 1
        while let after = place, change == changes, !Task.isCancelled, !Task.isShuttingDownGracefully {
            let start = clock.now
            let page = try await store.events(ofSeries: series, after: after, limit: limit)
            let resolved = page.events.map { resolver.again($0) }
            if !resolved.isEmpty { tally.add(resolved, changed: try await store.replace(resolved)) }
            place = page.next
            if let next = page.next { progress?.done = min(next - oldest + 1, total) }
            // As long as the step took, others have the store for themselves.
            try? await Task.sleep(for: clock.now - start)
        }
    }

    /// What came of it.
    private struct Tally: CustomStringConvertible {
        private(set) var events = 0
        private var resolutions: [Resolution: Int] = [:]

        mutating func add(_ resolved: [ResolvedAgain], changed: Int) {
            events += changed
            for event in resolved { resolutions[event.resolution, default: 0] += 1 }
        }

        var description: String {
            let parts = Resolution.allCases.compactMap { resolution in
                resolutions[resolution].map { "\($0) \(resolution)" }
            }
            let what = events == 1 ? "1 stored event" : "\(events) stored events"
            return "Resolved \(what) again: \(parts.joined(separator: ", "))"
        }
    }
}

extension Resolver {
    /// What a stored event is called today.
    fileprivate mutating func again(_ event: Event) -> ResolvedAgain {
        let outcome = resolveAgain(event)
        // Why an entry was malformed may not show in its payload: it may have been cut, or have had none.
        let isMalformed = event.resolution == .malformed
        return ResolvedAgain(
            id: event.id, resolution: isMalformed ? .malformed : outcome.resolution, kind: outcome.kind,
            findings: isMalformed ? event.findings : outcome.findings, payload: outcome.redacted)
    }
}
