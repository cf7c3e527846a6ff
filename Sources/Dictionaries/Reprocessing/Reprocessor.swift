import Linux
package import Logging
import Model
import Resolve
package import API
import ServiceLifecycle
package import Store

/// Reprocesses stored events when the definitions that they were held against have changed: in the background, those of
/// one block at a time. Whoever else writes does so while a block is read, resolved and packed, which is nearly all the time.
///
/// It keeps no notes: each event says with which version it was resolved, so that whatever interrupts it, the next start
/// or the next change goes on with what is left.
package actor Reprocessor: Service {
    /// After the store could not be read or written.
    private static let retryInterval = Duration.seconds(5)
    /// How many versions of one dictionary are looked at more closely.
    private static let comparedVersions = 8

    private let store: EventStore
    private let archive: DictionaryArchive
    private let revealed: RevealedMark
    private let batches: BatchCounter
    private let logger: Logger
    private let queue = WorkQueue("gloss.reprocess")
    private let looks: AsyncStream<Void>
    private let look: AsyncStream<Void>.Continuation
    private var dictionarySet: DictionarySet
    /// Counts what was put in force.
    private var changes = 0
    /// How many batches the intake had resolved when that was. They may be saved much later, when the store is full:
    /// only a look behind the last of them finds all events of before.
    private var batchesBefore: Int64 = 0
    /// Waits for the time of the next look.
    private var alarm: Task<Void, Never>?
    private var isRevealing = false
    /// Dictionaries of stored events that none of now covers, as the last look found them.
    private var abandoned: Set<ExactString> = []
    /// The same as they were told last.
    private var toldAbandoned: Set<ExactString> = []
    private var hasFailed = false
    /// In ids of stored events; `nil` when there is nothing to do.
    package private(set) var progress: StatusReply.ReprocessingProgress?

    package init(
        store: EventStore, archive: DictionaryArchive, revealed: RevealedMark, batches: BatchCounter,
        dictionarySet: DictionarySet,
        logger: Logger
    ) {
        self.store = store
        self.archive = archive
        self.revealed = revealed
        self.batches = batches
        self.dictionarySet = dictionarySet
        self.logger = logger
        (looks, look) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// To be called before private values are first stored as they are: what is stored so is remembered, until it has
    /// been protected.
    package func willReveal() throws(RevealedMark.Failure) {
        isRevealing = true
        try revealed.set()
    }

    /// Begins anew with these dictionaries. To be called when the intake has them.
    package func use(_ dictionarySet: DictionarySet) {
        self.dictionarySet = dictionarySet
        if dictionarySet.privacy == .protect { isRevealing = false }
        changes += 1
        batchesBefore = batches.resolved
        look.yield()
    }

    package func run() async throws {
        look.yield()
        for await _ in looks.cancelOnGracefulShutdown() {
            let (change, before) = (changes, batchesBefore)
            let isLast = batches.hasSaved(before)
            if await !reprocess() {
                lookAgain { try? await Task.sleep(for: Self.retryInterval) }
            } else if !isLast {
                lookAgain { [batches] in await batches.waitUntilSaved(before) }
            } else if change == changes {
                forgetRevealed()
            }
        }
        alarm?.cancel()
    }

    private func lookAgain(after wait: @escaping @Sendable () async -> Void) {
        alarm?.cancel()
        alarm = Task { [look] in
            await wait()
            look.yield()
        }
    }

    /// After the last look, every event that was stored with private values has been gone through.
    private func forgetRevealed() {
        // A dictionary that could not be loaded yet will say what of its events is private.
        guard dictionarySet.privacy == .protect, !isRevealing,
            dictionarySet.dictionaries.allSatisfy({ !$0.version.isEmpty }),
            revealed.isSet, !Task.isCancelled, !Task.isShuttingDownGracefully
        else { return }
        guard abandoned.isEmpty else { return tellAbandoned() }
        do throws(RevealedMark.Failure) {
            try revealed.clear()
            logger.notice("What was stored while privacy was set to reveal is protected now.")
        } catch {
            logger.error("\(error)")
        }
    }

    private func tellAbandoned() {
        guard abandoned != toldAbandoned else { return }
        toldAbandoned = abandoned
        let names = abandoned.map(\.text).sorted().joined(separator: ", ")
        logger.warning(
            """
            What was stored while privacy was set to reveal is not all protected: nothing covers the events of dictionary \
            \(names) any more, and says what of them is private
            """)
    }

    /// One look, and what follows from it.
    /// - Returns: whether the store could be read and written.
    func reprocess() async -> Bool {
        do throws(StoreError) {
            let change = changes
            let kinds = try await concernedKinds()
            if !kinds.isEmpty { try await resolve(kinds, until: change) }
            hasFailed = false
            return true
        } catch {
            // What keeps failing is told once.
            if !hasFailed { logger.error("Stored events could not be reprocessed: \(error)") }
            hasFailed = true
            return false
        }
    }

    // MARK: what is concerned

    /// The kinds that a look has found so far.
    private struct Found: Sendable {
        var kinds: Set<StoredKind.ID> = []
        /// What must be read before more can be told.
        var versions: Set<DictionaryVersionID> = []
        /// Dictionaries whose events none of now covers.
        var abandoned: Set<ExactString> = []
    }

    private func concernedKinds() async throws(StoreError) -> Set<StoredKind.ID> {
        let dictionarySet = dictionarySet
        let effect = await queue.run { [revealed] in
            ChangeEffect(dictionarySet.dictionaries, privacy: dictionarySet.privacy, wasRevealed: revealed.isSet)
        }
        let known = try await pastVersions(of: dictionarySet)
        let versions = Set(known.keys)
        var found = try await store.storedKinds(resolutions: effect.resolutions, into: Found()) { found, stored in
            if let dictionary = effect.abandoning(stored) {
                found.abandoned.insert(dictionary)
            } else if let version = effect.comparison(for: stored), versions.contains(version) {
                found.versions.insert(version)
            } else if effect.concerns(stored, past: nil) {
                found.kinds.insert(stored.id)
            }
        }
        abandoned = found.abandoned
        // One version at a time is in memory.
        for version in found.versions {
            guard let (options, record) = known[version] else { continue }
            let dictionary = try await archive.dictionary(options, version: record.version)
            let past = dictionary.map { ChangeEffect.Past($0, record: record) }
            found.kinds = try await store.storedKinds(
                resolutions: effect.resolutions, of: version, into: found.kinds
            ) { kinds, stored in
                if effect.concerns(stored, past: past) { kinds.insert(stored.id) }
            }
        }
        return found.kinds
    }

    /// What events may have been resolved with before, as far as it is looked at more closely.
    private func pastVersions(
        of dictionarySet: DictionarySet
    ) async throws(StoreError) -> [DictionaryVersionID: (options: DictionaryOptions, record: DictionaryVersion)] {
        var known: [DictionaryVersionID: (options: DictionaryOptions, record: DictionaryVersion)] = [:]
        for options in dictionarySet.dictionaries.map(\.options) {
            for record in try await store.versions(ofDictionary: options.name).prefix(Self.comparedVersions) {
                known[DictionaryVersionID(dictionary: options.name, version: record.version)] = (options, record)
            }
        }
        return known
    }

    // MARK: resolving

    private func resolve(_ kinds: Set<StoredKind.ID>, until change: Int) async throws(StoreError) {
        let statistics = try await store.statistics()
        guard let oldest = statistics.oldestEventID else { return }
        let total = statistics.newestEventID - oldest + 1
        progress = StatusReply.ReprocessingProgress(done: 0, total: total)
        defer { progress = nil }
        var resolver = dictionarySet.resolver
        var tally = Tally()
        defer { if !tally.isEmpty { logger.notice("\(tally)") } }
        var place: Int64? = oldest - 1
        while let after = place, change == changes, !Task.isCancelled, !Task.isShuttingDownGracefully {
            let page = try await store.events(ofKinds: kinds, after: after)
            let resolved = page.events.map { resolver.again($0) }
            if !resolved.isEmpty { tally.add(try await store.replace(resolved)) }
            place = page.next
            if let next = page.next { progress?.done = min(next - oldest + 1, total) }
        }
    }

    /// What the events that were changed are now.
    private struct Tally: CustomStringConvertible {
        private var changed: [Resolution: Int] = [:]

        var isEmpty: Bool { changed.isEmpty }

        mutating func add(_ more: [Resolution: Int]) { changed.merge(more, uniquingKeysWith: +) }

        var description: String {
            let parts = Resolution.allCases.compactMap { resolution in
                changed[resolution].map { "\($0) \(resolution)" }
            }
            let events = changed.values.reduce(0, +)
            let what = events == 1 ? "1 stored event" : "\(events) stored events"
            return "Reprocessed \(what): \(parts.joined(separator: ", "))"
        }
    }
}

extension Resolver {
    /// What a stored event is called today.
    fileprivate mutating func again(_ event: Event) -> ReprocessedEvent {
        let outcome = reprocess(event)
        // Why an entry was malformed may not show in its payload: it may have been cut, or have had none.
        guard event.resolution == .malformed else {
            return ReprocessedEvent(
                id: event.id, resolution: outcome.resolution, kind: outcome.kind, findings: outcome.findings,
                payload: outcome.redacted)
        }
        let kind = EventKind(
            dictionary: outcome.kind.dictionary, definitionsVersion: outcome.kind.definitionsVersion, key: nil)
        return ReprocessedEvent(
            id: event.id, resolution: .malformed, kind: kind, findings: event.findings, payload: redacted(event))
    }
}
