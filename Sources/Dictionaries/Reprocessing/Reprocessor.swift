import Linux
package import Logging
import Model
import Resolve
package import API
import ServiceLifecycle
package import Store

/// Resolves stored events again when their definitions have changed: in the background, one block at a time. Others can write to
/// the store while a block is read, resolved and packed, which is nearly all of the time.
///
/// It keeps no state on disk. Each event names the version that it was resolved with, so after an interruption the next start or
/// the next change continues with the remaining events.
package actor Reprocessor: Service {
    /// The pause after the store could not be read or written.
    private static let retryInterval = Duration.seconds(5)
    /// The pause after damaged blocks were passed over: they stay damaged until they are removed.
    private static let damageInterval = Duration.seconds(600)
    /// The number of earlier versions of a dictionary that are compared in detail.
    private static let comparedVersions = 8

    private let store: EventStore
    private let archive: DictionaryArchive
    private let batches: BatchCounter
    private let logger: Logger
    private let queue = WorkQueue("gloss.reprocess")
    private let passes: AsyncStream<Void>
    private let pass: AsyncStream<Void>.Continuation
    private var dictionarySet: DictionarySet
    /// Counts the dictionary sets that were put in force.
    private var changes = 0
    /// Whether another one is being put in force.
    private var isChanging = false
    /// The number of batches that the intake had resolved by then. They may be saved much later if the store is full: only a
    /// pass after the last of them finds all events that were resolved by earlier dictionaries.
    private var batchesBefore: Int64 = 0
    /// Waits until the next pass is due.
    private var nextPass: Task<Void, Never>?
    private var isRevealing = false
    /// The first stored event that may have revealed values, as far as the last pass knows; `nil` if none has.
    private var firstRevealed: Int64?
    private var wasRevealed: Bool { firstRevealed != nil }
    /// Dictionaries that events since then name and whose events no current dictionary covers, from the last pass.
    private var abandoned: Set<ExactString> = []
    /// The same, as last logged.
    private var loggedAbandoned: Set<ExactString> = []
    /// Why the last pass could not read or write the store; `nil` if it could.
    private var failure: StoreError?
    /// What is wrong with the blocks that the last pass passed over.
    private var damage: [StoreError] = []
    /// Why it could not be noted that all stored events are protected.
    private var unclear: StoreError?
    /// The progress of the current pass, in ids of events, whose number is 0 until the pass has found some that are concerned.
    /// `nil` once a pass has done, or found nothing to do, after the last change and after all that was resolved before it, and
    /// while no other is announced.
    package private(set) var progress: StatusReply.ReprocessingProgress? = .begun

    package init(
        store: EventStore, archive: DictionaryArchive, batches: BatchCounter, dictionarySet: DictionarySet,
        logger: Logger
    ) {
        self.store = store
        self.archive = archive
        self.batches = batches
        self.dictionarySet = dictionarySet
        self.logger = logger
        (passes, pass) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Call it before private values are stored as they are. It is remembered until all of them are protected.
    package func willReveal() async throws(StoreError) {
        isRevealing = true
        try await store.noteRevealed()
    }

    /// Call it before anybody can see the dictionaries that `use` will be called with.
    package func willChange() {
        isChanging = true
        if progress == nil { progress = .begun }
    }

    /// Starts again with these dictionaries. Call it when the intake has them.
    package func use(_ dictionarySet: DictionarySet) {
        self.dictionarySet = dictionarySet
        isChanging = false
        if dictionarySet.privacy == .protect { isRevealing = false }
        changes += 1
        batchesBefore = batches.resolved
        progress = .begun
        pass.yield()
    }

    package func run() async throws {
        pass.yield()
        for await _ in passes.cancelOnGracefulShutdown() {
            let (change, before) = (changes, batchesBefore)
            let isLast = batches.hasSaved(before)
            if await !reprocess() {
                passAgain { try? await Task.sleep(for: Self.retryInterval) }
            } else if !isLast {
                passAgain { [batches] in await batches.waitUntilSaved(before) }
            } else if change == changes, !isChanging, !isEnding {
                progress = nil
                if damage.isEmpty {
                    await forgetRevealed()
                } else {
                    if wasRevealed, !abandoned.isEmpty { logAbandoned() }
                    passAgain { try? await Task.sleep(for: Self.damageInterval) }
                }
            }
        }
        nextPass?.cancel()
    }

    /// Whether a pass has been, or will be, left before its end.
    private var isEnding: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    private func passAgain(after wait: @escaping @Sendable () async -> Void) {
        nextPass?.cancel()
        nextPass = Task { [pass] in
            await wait()
            // A wait that is cancelled ends at once; another one has taken its place.
            if !Task.isCancelled { pass.yield() }
        }
    }

    /// After the last pass, every event that was stored with private values has been reprocessed.
    private func forgetRevealed() async {
        // A dictionary that could not be loaded yet may call further values private.
        guard dictionarySet.privacy == .protect, !isRevealing,
            dictionarySet.dictionaries.allSatisfy({ !$0.version.isEmpty }),
            wasRevealed, !isEnding
        else { return }
        guard abandoned.isEmpty else { return logAbandoned() }
        let (change, first) = (changes, firstRevealed)
        do throws(StoreError) {
            try await store.forgetRevealed()
            // Somebody may have begun to reveal again meanwhile, and even have stopped.
            if isRevealing || change != changes { return try await store.noteRevealed(from: first) }
            (firstRevealed, unclear) = (nil, nil)
            logger.notice(
                "What was stored while privacy was set to reveal is protected now, except pieces of split lines.")
        } catch {
            if unclear == nil { logger.error("It could not be noted that all stored events are protected: \(error)") }
            unclear = error
            passAgain { try? await Task.sleep(for: Self.retryInterval) }
        }
    }

    private func logAbandoned() {
        guard abandoned != loggedAbandoned else { return }
        loggedAbandoned = abandoned
        logger.warning("\(unprotected)")
    }

    private var unprotected: String {
        """
        What was stored while privacy was set to reveal is not all protected: nothing covers the events of dictionary \
        \(abandoned.map(\.text).sorted().joined(separator: ", ")) any more, and says what of them is private
        """
    }

    private var unread: String {
        let (blocks, them) = damage.count == 1 ? ("A block", "it") : ("\(damage.count) blocks", "them")
        return "\(blocks) of stored events could not be reprocessed\(risk(in: them)): \(damage[0])"
    }

    /// What follows for privacy from events that are not reprocessed.
    private func risk(in them: String) -> String {
        mayShowPrivate ? ", so that values that have become private may still be readable in \(them)" : ""
    }

    /// Whether an event that is not reprocessed may have a private value.
    private var mayShowPrivate: Bool {
        dictionarySet.privacy == .protect
            && (wasRevealed || dictionarySet.dictionaries.contains { !$0.confirmedNames.isEmpty })
    }

    /// What keeps stored events from being as the dictionaries in force say.
    package var problems: [StatusProblem] {
        var problems: [StatusProblem] = []
        let code: Diagnostic = mayShowPrivate ? .privacyNotProtected : .storeNotReprocessed
        if let failure {
            let what = "Stored events could not be reprocessed\(risk(in: "them")): \(failure)"
            problems.append(.init(code, what: what, hint: failure.hint))
        }
        if let first = damage.first {
            problems.append(.init(code, what: unread, hint: first.hint))
        }
        if !loggedAbandoned.isEmpty, loggedAbandoned == abandoned, wasRevealed {
            problems.append(.init(.privacyNotProtected, what: unprotected))
        } else if let unclear, wasRevealed {
            let what = "It could not be noted that all stored events are protected: \(unclear)"
            problems.append(.init(.privacyNotProtected, what: what, hint: unclear.hint))
        }
        return problems
    }

    /// Runs one pass.
    /// - Returns: whether the store could be read and written, but for damaged blocks.
    func reprocess() async -> Bool {
        do throws(StoreError) {
            let (change, damaged) = (changes, DamagedBlocks())
            let kinds = try await concernedKinds(damaged)
            if !kinds.isEmpty { try await resolve(kinds, until: change, damaged) }
            failure = nil
            note(damaged.errors)
            return true
        } catch {
            // A failure that lasts is logged once.
            if failure == nil { logger.error("Stored events could not be reprocessed: \(error)") }
            failure = error
            return false
        }
    }

    /// Each damaged block, and that open events are damaged, is logged once while it is there.
    private func note(_ found: [StoreError]) {
        let known = Set(exact: damage.map(\.description))
        for error in found where !known.contains(ExactString(error.description)) {
            logger.error("Some stored events cannot be reprocessed and are passed over: \(error)")
        }
        damage = found
    }

    // MARK: finding events

    /// What a pass has found so far.
    private struct Found: Sendable {
        var kinds: Set<StoredKind.ID> = []
        /// The versions that have to be read to decide about further kinds.
        var versions: Set<DictionaryVersionID> = []
    }

    private func concernedKinds(_ damaged: DamagedBlocks) async throws(StoreError) -> Set<StoredKind.ID> {
        let dictionarySet = dictionarySet
        firstRevealed = try await store.firstRevealed()
        let wasRevealed = wasRevealed
        let effect = await queue.run {
            ChangeEffect(dictionarySet.dictionaries, privacy: dictionarySet.privacy, wasRevealed: wasRevealed)
        }
        let known = try await pastVersions(of: dictionarySet)
        let versions = Set(known.keys)
        var found = try await store.storedKinds(
            resolutions: effect.resolutions, passingOver: damaged, into: Found()
        ) { found, stored in
            if let version = effect.comparison(for: stored), versions.contains(version) {
                found.versions.insert(version)
            } else if effect.concerns(stored, past: nil) {
                found.kinds.insert(stored.id)
            }
        }
        abandoned = try await abandonedDictionaries(effect, damaged)
        // Only one version at a time is in memory.
        for version in found.versions {
            guard let (now, record) = known[version] else { continue }
            let dictionary = try await archive.dictionary(now.options, version: record.version)
            let past = dictionary.map { ChangeEffect.Past($0, record: record, now: now) }
            found.kinds = try await store.storedKinds(
                resolutions: effect.resolutions, of: version, passingOver: damaged, into: found.kinds
            ) { kinds, stored in
                if effect.concerns(stored, past: past) { kinds.insert(stored.id) }
            }
        }
        return found.kinds
    }

    /// Returns the dictionaries of events that may have revealed values, and that no current dictionary covers.
    private func abandonedDictionaries(
        _ effect: ChangeEffect, _ damaged: DamagedBlocks
    ) async throws(StoreError) -> Set<ExactString> {
        guard let firstRevealed else { return [] }
        return try await store.storedKinds(
            resolutions: effect.resolutions, from: firstRevealed, passingOver: damaged, into: []
        ) { abandoned, stored in
            if let dictionary = effect.abandoning(stored) { abandoned.insert(dictionary) }
        }
    }

    /// The earlier versions that are compared in detail, each with its dictionary as it is now.
    private func pastVersions(
        of dictionarySet: DictionarySet
    ) async throws(StoreError) -> [DictionaryVersionID: (now: EventDictionary, record: DictionaryVersion)] {
        var known: [DictionaryVersionID: (now: EventDictionary, record: DictionaryVersion)] = [:]
        for dictionary in dictionarySet.dictionaries {
            let name = dictionary.options.name
            for record in try await store.versions(ofDictionary: name).prefix(Self.comparedVersions) {
                known[DictionaryVersionID(dictionary: name, version: record.version)] = (dictionary, record)
            }
        }
        return known
    }

    // MARK: resolving

    private func resolve(
        _ kinds: Set<StoredKind.ID>, until change: Int, _ damaged: DamagedBlocks
    ) async throws(StoreError) {
        let statistics = try await store.statistics()
        guard let oldest = statistics.oldestEventID else { return }
        let total = statistics.newestEventID - oldest + 1
        progress = StatusReply.ReprocessingProgress(done: 0, total: total)
        var resolver = dictionarySet.resolver
        var tally = Tally()
        defer { if !tally.isEmpty { logger.notice("\(tally)") } }
        var place: Int64? = oldest - 1
        while let after = place, change == changes, !isEnding {
            let page = try await store.events(ofKinds: kinds, after: after, passingOver: damaged)
            let resolved = page.events.map { resolver.again($0) }
            // What need not be read to resolve these events may be damaged as well.
            if !resolved.isEmpty { tally.add(try await store.replace(resolved, passingOver: damaged)) }
            place = page.next
            if let next = page.next, change == changes { progress?.done = min(next - oldest + 1, total) }
        }
    }

    /// The resolutions of the events that changed.
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

extension StatusReply.ReprocessingProgress {
    /// That of a pass that has found nothing yet.
    fileprivate static let begun = Self(done: 0, total: 0)
}

extension Resolver {
    /// The result for a stored event.
    fileprivate mutating func again(_ event: Event) -> ReprocessedEvent {
        let outcome = reprocess(event)
        return ReprocessedEvent(
            id: event.id, resolution: outcome.resolution, kind: outcome.kind, findings: outcome.findings,
            payload: outcome.payload, text: outcome.text, program: outcome.program)
    }
}
