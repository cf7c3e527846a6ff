import Dictionaries
import Journal
import Logging
import Model
import Resolve
import ServiceLifecycle
import Store

/// The source of entries: the journal.
protocol EntrySource: Sendable {
    /// The state of the journal and its files.
    var condition: JournalCondition { get }
    /// The time from which entries are read, in microseconds since 1970, if it is not saved yet.
    var newStart: UInt64? { get }
    /// Waits until there are entries, at most for `wait`.
    func nextBatch(limit: BatchLimit, wait: Duration) async -> EntryBatch
    /// Updates `condition` without reading entries.
    func look() async
    /// Makes `nextBatch` return without waiting longer.
    func wake()
}

extension JournalReader: EntrySource {}

/// The destination of resolved batches: the store.
protocol BatchStore: Sendable {
    /// The largest batch that is saved in one transaction.
    var maximumBatch: (events: Int, payloadBytes: Int) { get }
    func save(_ batch: CountedBatch, journal: String) async throws(StoreError) -> SavedBatch
}

extension EventStore: BatchStore {}

/// Moves entries from the journal through resolution into the store. While one batch is being committed, the next is read
/// and resolved.
actor Intake: Service {
    /// How long a read waits for entries before it returns an empty batch.
    private let patience: Duration
    /// How often the reading progress is saved while no rule takes any entry.
    private let savingInterval: Duration

    private let reader: any EntrySource
    private let store: any BatchStore
    private let journal: String
    private let logger: Logger
    /// The size of a batch: what the store packs into a block. Two batches are in memory, one being saved and one being read.
    private let limit: BatchLimit
    private var resolver: Resolver
    /// Entries up to this time may be stored already, because a previous run ended while it saved a batch in parts, or because the
    /// journal was read under another name. It may be any time in the future. Microseconds since 1970.
    private var knownUntil: UInt64
    /// The progress of batches that had nothing else to save.
    private var unsaved = ReadingProgress()
    nonisolated let progress: IntakeProgress
    nonisolated let batches = BatchCounter()

    init(
        reader: any EntrySource, resolver: Resolver, store: any BatchStore, journal: String,
        knownUntil: UInt64?, progress: IntakeProgress, logger: Logger,
        patience: Duration = .seconds(2), savingInterval: Duration = .seconds(2)
    ) {
        self.knownUntil = knownUntil ?? 0
        (self.patience, self.savingInterval) = (patience, savingInterval)
        self.reader = reader
        self.store = store
        self.journal = journal
        self.progress = progress
        self.logger = logger
        limit = BatchLimit(
            maximumEntriesRead: 16_384, maximumEvents: store.maximumBatch.events,
            maximumEventBytes: store.maximumBatch.payloadBytes)
        self.resolver = resolver
    }

    /// Takes effect from the next batch on.
    func use(_ resolver: Resolver) {
        self.resolver = resolver
    }

    func run() async throws {
        try await withGracefulShutdownHandler {
            guard try await saveStart() else { return }
            var ready = await readAndResolve()
            while !Task.isShuttingDownGracefully && !Task.isCancelled {
                let batch = ready
                async let isSaved = save(batch)
                ready = await readAndResolve()
                // After a batch that was not saved, no later one may be saved: the reading progress would skip the first.
                guard try await isSaved else { return }
            }
            guard try await save(ready), !unsaved.isEmpty else { return }
            _ = try await saveProgress()
        } onGracefulShutdown: {
            self.reader.wake()
        }
    }

    /// Saves the time from which entries are read, before any is: if the process ended without it, the next start would begin
    /// later.
    /// - Returns: `false` when the daemon stops first.
    private func saveStart() async throws -> Bool {
        guard let start = reader.newStart else { return true }
        unsaved.startMicroseconds = start
        return try await saveProgress()
    }

    /// Saves the progress that is not saved yet, without events.
    /// - Returns: `false` when the daemon stops first.
    private func saveProgress() async throws -> Bool {
        try await commit(CountedBatch(ResolvedBatch(progress: takeUnsaved())))
    }

    private func readAndResolve() async -> CountedBatch {
        batches.willRead()
        // No suspension between resolving and this: a batch that `use` finds unresolved will be resolved by the new resolver.
        defer { batches.didResolve() }
        var read = await reader.nextBatch(limit: limit, wait: patience)
        if knownUntil > 0 { read.markKnown(until: knownUntil) }
        // All that there was has been looked for: what is sent from now on is new.
        if read.reachedEnd, read.readUntilMicroseconds != nil { knownUntil = min(knownUntil, progress.now) }
        if let start = read.progress.startMicroseconds, start != reader.newStart {
            logger.notice(
                """
                The time from which the journal is read is in the future, because the clock was set back: everything \
                behind what was read by now is read.
                """)
        }
        var resolved = resolver.resolve(read)
        progress.noteRead(resolved, reader.condition)
        unsaved.add(resolved.progress)
        let isDue = !resolved.events.isEmpty || !resolved.gaps.isEmpty || !unsaved.holes.isEmpty || isSavingDue
        resolved.progress = isDue ? takeUnsaved() : ReadingProgress()
        return CountedBatch(resolved)
    }

    private func takeUnsaved() -> ReadingProgress {
        defer { unsaved = ReadingProgress() }
        // Each says so, since a batch that is saved in parts has its own time meanwhile.
        if knownUntil > 0 { unsaved.knownUntilMicroseconds = knownUntil }
        return unsaved
    }

    private var isSavingDue: Bool { !unsaved.isEmpty && progress.isSavingDue(after: savingInterval) }

    /// Saves the batch. Waits while the store is full, busy or damaged, or its disk fails; meanwhile the journal keeps what is not read.
    /// - Returns: whether it is saved or had nothing to save; `false` when the daemon stops first.
    private nonisolated func save(_ counted: CountedBatch) async throws -> Bool {
        let batch = counted.batch
        if !batch.events.isEmpty || !batch.gaps.isEmpty || !batch.progress.isEmpty {
            guard try await commit(counted) else { return false }
        }
        batches.didSave()
        progress.noteDone(batch)
        return true
    }

    private nonisolated func commit(_ batch: CountedBatch) async throws -> Bool {
        var rest: CountedBatch? = batch
        while let error = await attempt(&rest) {
            guard let pause = Self.pause(after: error) else { throw error }
            if progress.notePaused(because: error) {
                logger.error("Reading is paused: \(error)", metadata: error.hint.map { ["hint": "\($0)"] })
            }
            // When the daemon stops now, neither the batch nor its progress is saved: it is read again after the next start.
            if Task.isShuttingDownGracefully || Task.isCancelled { return false }
            // Nothing is read while saving waits, but the journal grows: status should show it.
            await reader.look()
            progress.note(reader.condition)
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        }
        if progress.noteSaved(batch.batch) { logger.notice("The store takes events again. Reading continues.") }
        return true
    }

    /// The time until the next attempt. A damaged store is no reason to end: queries and sinks can still read the undamaged
    /// part, and the next start would find the same damage.
    /// - Returns: `nil` when another attempt would not help.
    private static func pause(after error: StoreError) -> Duration? {
        switch error.kind {
        case .full, .busy: .milliseconds(500)
        case .corrupt, .disk: .seconds(5)
        default: nil
        }
    }

    /// - Parameter batch: on return, the part that is not saved yet; `nil` when all of it is.
    /// - Returns: why it could not be saved; `nil` when all of it is.
    private nonisolated func attempt(_ batch: inout CountedBatch?) async -> StoreError? {
        do throws(StoreError) {
            while let part = batch {
                let saved = try await store.save(part, journal: journal)
                batch = saved.rest.map(CountedBatch.init)
                progress.noteStored(saved.seen)
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
