import Journal
import Linux
import Model
import Store
import Synchronization

/// The progress of the intake, for status and watchdog.
final class IntakeProgress: Sendable {
    struct Snapshot: Sendable {
        /// When the intake last read or saved a batch, or tried to.
        var lastStep: ContinuousClock.Instant
        var lastSave: ContinuousClock.Instant
        /// Entries read since the daemon started, taken by a rule or not.
        var entriesRead: Int64 = 0
        /// The entries that were passed because they are older than `journal.start`.
        var entriesPassed: Int64 = 0
        /// The time of the entry that was saved last, in microseconds since 1970.
        var positionMicroseconds: UInt64?
        /// Everything that the journal had at this time is in the store, as far as rules take it. Microseconds since 1970.
        var completeUntilMicroseconds: UInt64?
        /// The state of the journal.
        var journal = JournalCondition()
        /// The oldest time in each batch that was read and is not saved yet, in the order of reading. Microseconds since 1970.
        var unsavedBatches: [UInt64?] = []
        /// The time of the oldest entry that was read and is not saved yet.
        var unsavedMicroseconds: UInt64? { unsavedBatches.lazy.compactMap(\.self).min() }
        /// When the end of the journal was first reached.
        var caughtUpAt: ContinuousClock.Instant?
        /// Entries that were written later are read as they come. By the journal's clock, in microseconds since 1970.
        var liveSinceMicroseconds: UInt64?
        /// When the end of the journal was last reached.
        var lastEnd: ContinuousClock.Instant?
        /// The events that were stored since the daemon started, by the resolution that they had then.
        var stored: [Resolution: Int64] = [:]
        /// Why reading is paused.
        var paused: StoreError?
        /// Entries per second over the last few seconds.
        var rate = Rate()
    }

    /// A rate over windows of two seconds: that of the previous window, or of the current one if there is no other.
    struct Rate: Sendable {
        private static let window = Duration.seconds(2)
        private var windowStart: ContinuousClock.Instant?
        private var counted = 0
        private var previous = 0.0

        mutating func add(_ count: Int, at now: ContinuousClock.Instant) {
            roll(to: now)
            counted += count
        }

        mutating func perSecond(at now: ContinuousClock.Instant) -> Double {
            roll(to: now)
            guard let windowStart else { return 0 }
            let elapsed = (now - windowStart) / .seconds(1)
            return previous == 0 && elapsed > 0.2 ? Double(counted) / elapsed : previous
        }

        private mutating func roll(to now: ContinuousClock.Instant) {
            guard let start = windowStart else {
                windowStart = now
                return
            }
            let elapsed = now - start
            guard elapsed >= Self.window else { return }
            previous = Double(counted) / (elapsed / .seconds(1))
            counted = 0
            windowStart = now
        }
    }

    /// The time from when the entry of an event was written until the event was stored, of entries that were written after
    /// the end of the journal had been reached.
    let delays = Histogram()
    private let state: Mutex<Snapshot>
    private let clock = ContinuousClock()
    private let date: @Sendable () -> UInt64

    /// - Parameters:
    ///   - state: how far previous runs read the journal.
    ///   - date: returns microseconds since 1970.
    init(_ state: ReadingState?, date: @escaping @Sendable () -> UInt64 = wallClock) {
        self.date = date
        let now = clock.now
        let last = state?.files.compactMap { $0.last?.cursor.realtimeMicroseconds }.max()
        self.state = Mutex(Snapshot(lastStep: now, lastSave: now, positionMicroseconds: last))
    }

    var snapshot: Snapshot { state.withLock { $0 } }

    /// Microseconds since 1970.
    var now: UInt64 { date() }

    func entriesPerSecond() -> Double {
        state.withLock { $0.rate.perSecond(at: clock.now) }
    }

    /// - Parameter journal: its state when the batch was read.
    func noteRead(_ batch: ResolvedBatch, _ journal: JournalCondition) {
        let (now, date) = (clock.now, self.date())
        state.withLock { state in
            state.lastStep = now
            state.entriesRead += Int64(batch.entriesRead)
            state.entriesPassed += Int64(batch.entriesPassed)
            state.rate.add(batch.entriesRead + batch.entriesPassed, at: now)
            state.journal = journal
            let oldest = batch.events.lazy.map(\.entry.realtimeMicroseconds).min()
            state.unsavedBatches.append(oldest ?? batch.lastRealtimeMicroseconds)
            if batch.reachedEnd {
                state.lastEnd = now
                state.caughtUpAt = state.caughtUpAt ?? now
                state.liveSinceMicroseconds = state.liveSinceMicroseconds ?? date
            }
        }
    }

    func note(_ journal: JournalCondition) {
        state.withLock { $0.journal = journal }
    }

    /// - Parameter batch: the oldest batch that was read. All of it is saved, or it has nothing to save.
    func noteDone(_ batch: ResolvedBatch) {
        state.withLock { state in
            state.unsavedBatches.removeFirst()
            state.completeUntilMicroseconds = batch.readUntilMicroseconds ?? state.completeUntilMicroseconds
        }
    }

    /// Whether it is time to save the reading progress although there are no events to save with it.
    func isSavingDue(after interval: Duration) -> Bool {
        state.withLock { clock.now - $0.lastSave >= interval }
    }

    /// Notes that events were stored.
    func noteStored(_ seen: [Resolution: Int64]) {
        state.withLock { state in
            for (resolution, count) in seen { state.stored[resolution, default: 0] += count }
        }
    }

    private func recordDelays(of batch: ResolvedBatch) {
        guard !batch.events.isEmpty, let start = state.withLock({ $0.liveSinceMicroseconds }) else { return }
        let now = date()
        delays.record(
            batch.events.lazy.map(\.entry).filter {
                $0.realtimeMicroseconds >= start && !$0.mayBeKnown && !$0.mayBeCopy
            }.map {
                // The clock may have been set back.
                Double(now - min(now, $0.realtimeMicroseconds)) / 1e6
            })
    }

    /// Notes that a transaction was committed.
    /// - Returns: whether this ends a pause.
    func noteSaved(_ batch: ResolvedBatch) -> Bool {
        recordDelays(of: batch)
        let now = clock.now
        return state.withLock { state in
            state.lastStep = now
            state.lastSave = now
            state.positionMicroseconds = batch.lastRealtimeMicroseconds ?? state.positionMicroseconds
            defer { state.paused = nil }
            return state.paused != nil
        }
    }

    /// - Returns: whether this begins a pause.
    func notePaused(because error: StoreError) -> Bool {
        let now = clock.now
        return state.withLock { state in
            state.lastStep = now
            defer { state.paused = error }
            return state.paused == nil
        }
    }
}
