import Dictionaries
import Journal
import Logging
import Model
import Resolve
import ServiceLifecycle
import Store
import Synchronization

/// Where entries come from: the journal.
protocol EntrySource: Sendable {
    /// What is known of the journal and its files.
    var condition: JournalCondition { get }
    /// Waits until there are entries, or for so long.
    func nextBatch(limit: BatchLimit, wait: Duration) async -> EntryBatch
    /// Looks at the journal's files without reading entries, so that `condition` is current.
    func look() async
    /// Ends the wait of `nextBatch`.
    func wake()
}

extension JournalReader: EntrySource {}

/// Where resolved batches go: the store.
protocol BatchStore: Sendable {
    /// What is saved at once at most.
    var maximumBatch: (events: Int, payloadBytes: Int) { get }
    func save(_ batch: CountedBatch, journal: String) async throws(StoreError) -> SavedBatch
}

extension EventStore: BatchStore {}

/// The way in: journal -> resolve -> store. While one batch is being committed, the next is read and resolved.
actor Intake: Service {
    /// How long a read waits for entries; after that it comes back empty, and how far it got is saved if it got further.
    private let patience: Duration
    /// How often that is saved while entries pass that no rule takes.
    private static let savingInterval = Duration.seconds(2)

    private let reader: any EntrySource
    private let store: any BatchStore
    private let journal: String
    private let logger: Logger
    /// How much is read at a time: what the store packs at once. Two batches are in memory: one being saved, one being read.
    private let limit: BatchLimit
    private var resolver: Resolver
    /// Entries until then may be stored already: the program ended in the middle of saving a batch. Microseconds since 1970.
    private let knownUntil: UInt64
    /// Of batches that had nothing else to save.
    private var unsaved = ReadingProgress()
    nonisolated let progress: IntakeProgress
    nonisolated let batches = BatchCounter()

    init(
        reader: any EntrySource, resolver: Resolver, store: any BatchStore, journal: JournalLocation,
        knownUntil: UInt64?, progress: IntakeProgress, logger: Logger,
        patience: Duration = .seconds(2)
    ) {
        self.knownUntil = knownUntil ?? 0
        self.patience = patience
        self.reader = reader
        self.store = store
        self.journal = journal.name
        self.progress = progress
        self.logger = logger
        limit = BatchLimit(
            maximumEntriesRead: 16_384, maximumEvents: store.maximumBatch.events,
            maximumEventBytes: store.maximumBatch.payloadBytes)
        self.resolver = resolver
    }

    /// From the next batch on.
    func use(_ resolver: Resolver) {
        self.resolver = resolver
    }

    func run() async throws {
        try await withGracefulShutdownHandler {
            var ready = await readAndResolve()
            while !Task.isShuttingDownGracefully && !Task.isCancelled {
                let batch = ready
                async let isSaved = save(batch)
                ready = await readAndResolve()
                // What follows a batch that is not saved must not be saved either: what was read of files lies behind it.
                guard try await isSaved else { return }
            }
            guard try await save(ready), !unsaved.isEmpty else { return }
            _ = try await commit(CountedBatch(ResolvedBatch(progress: takeUnsaved())))
        } onGracefulShutdown: {
            self.reader.wake()
        }
    }

    private func readAndResolve() async -> CountedBatch {
        batches.willRead()
        // In one turn with resolving: what `use` finds not resolved yet will be resolved with what it brings.
        defer { batches.didResolve() }
        var read = await reader.nextBatch(limit: limit, wait: patience)
        if knownUntil > 0 { read.markKnown(until: knownUntil) }
        var resolved = resolver.resolve(read)
        progress.noteRead(resolved, reader.condition)
        unsaved.add(resolved.progress)
        let isDue = !resolved.events.isEmpty || !resolved.gaps.isEmpty || !unsaved.holes.isEmpty || isSavingDue
        resolved.progress = isDue ? takeUnsaved() : ReadingProgress()
        return CountedBatch(resolved)
    }

    private func takeUnsaved() -> ReadingProgress {
        defer { unsaved = ReadingProgress() }
        return unsaved
    }

    private var isSavingDue: Bool { !unsaved.isEmpty && progress.isSavingDue(after: Self.savingInterval) }

    /// Saves the batch, waiting for as long as the store is full, busy or damaged: the journal keeps what is not read
    /// meanwhile.
    /// - Returns: whether it is saved, or needs not be; `false` when the daemon stops first.
    private nonisolated func save(_ counted: CountedBatch) async throws -> Bool {
        let batch = counted.batch
        if !batch.events.isEmpty || !batch.gaps.isEmpty || !batch.progress.isEmpty {
            guard try await commit(counted) else { return false }
        }
        batches.didSave()
        progress.note(completeUntilMicroseconds: batch.readUntilMicroseconds)
        return true
    }

    private nonisolated func commit(_ batch: CountedBatch) async throws -> Bool {
        var rest: CountedBatch? = batch
        while let error = await attempt(&rest) {
            guard let pause = Self.pause(after: error) else { throw error }
            if progress.notePaused(because: error) {
                logger.error("Reading is paused: \(error)", metadata: error.hint.map { ["hint": "\($0)"] })
            }
            // When the daemon stops meanwhile, neither the batch is saved nor how far it got: it is read again.
            if Task.isShuttingDownGracefully || Task.isCancelled { return false }
            // Nothing is read meanwhile, and the journal goes on.
            await reader.look()
            progress.note(reader.condition)
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        }
        if progress.noteSaved(batch.batch) { logger.notice("The store takes events again; reading goes on.") }
        return true
    }

    /// When to try again. A damaged store is no reason to end: queries and sinks can still have what is whole, and the
    /// next start would meet the same damage.
    /// - Returns: `nil` when trying again is of no use.
    private static func pause(after error: StoreError) -> Duration? {
        switch error.kind {
        case .full, .busy: .milliseconds(500)
        case .corrupt: .seconds(5)
        default: nil
        }
    }

    /// - Parameter batch: what is not saved yet; `nil` in the end.
    /// - Returns: why it could not be saved; `nil` when all of it is.
    private nonisolated func attempt(_ batch: inout CountedBatch?) async -> StoreError? {
        do throws(StoreError) {
            while let part = batch {
                let saved = try await store.save(part, journal: journal)
                batch = saved.rest.map(CountedBatch.init)
                if saved.closedGaps > 0 {
                    logger.notice("\(saved.closedGaps) gaps are closed: files came that have what was missing.")
                }
            }
            return nil
        } catch {
            return error
        }
    }
}
