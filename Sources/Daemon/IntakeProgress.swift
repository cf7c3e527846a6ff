import Journal
import Model
import Store
import Synchronization

/// How the intake gets on, for status and watchdog.
final class IntakeProgress: Sendable {
    struct Snapshot: Sendable {
        /// When the intake last did something: read, saved, or tried to.
        var lastStep: ContinuousClock.Instant
        var lastSave: ContinuousClock.Instant
        /// Entries read since the daemon started, taken by a rule or not.
        var entriesRead: Int64 = 0
        /// The last entry whose events are in the store.
        var position: JournalCursor?
        /// What the journal had by then is in the store, as far as a rule takes it.
        var completeUntilMicroseconds: UInt64?
        /// When the journal's newest entry was written.
        var newest = Looked<UInt64?>(value: nil)
        /// What of the journal cannot be read.
        var health = Looked(value: JournalHealth())
        /// When the entry was written that the catch-up began at.
        var startRealtimeMicroseconds: UInt64?
        /// When the end of the journal was first reached.
        var caughtUpAt: ContinuousClock.Instant?
        /// Why the journal cannot be read.
        var unreadable: JournalError?
        /// Why reading is paused.
        var paused: StoreError?
        /// Entries a second over the last few seconds.
        var rate = Rate()
    }

    /// Something that is looked at from time to time.
    struct Looked<Value: Sendable>: Sendable {
        var value: Value
        var at: ContinuousClock.Instant?
    }

    /// A sliding rate: what was counted in the current window and what the one before gave.
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

    private let state: Mutex<Snapshot>
    private let clock = ContinuousClock()

    init(position: JournalCursor?) {
        let now = clock.now
        state = Mutex(Snapshot(lastStep: now, lastSave: now, position: position))
    }

    var snapshot: Snapshot { state.withLock { $0 } }

    func entriesPerSecond() -> Double {
        state.withLock { $0.rate.perSecond(at: clock.now) }
    }

    func noteRead(_ batch: ResolvedBatch) {
        let now = clock.now
        state.withLock { state in
            state.lastStep = now
            state.entriesRead += Int64(batch.entriesRead)
            state.rate.add(batch.entriesRead, at: now)
            state.startRealtimeMicroseconds =
                state.startRealtimeMicroseconds ?? batch.events.first?.entry.realtimeMicroseconds
                ?? batch.position?.realtimeMicroseconds
            if batch.reachedEnd && state.caughtUpAt == nil { state.caughtUpAt = now }
        }
    }

    func isDue<Value>(_ what: KeyPath<Snapshot, Looked<Value>>, after interval: Duration) -> Bool {
        state.withLock { $0[keyPath: what].at.map { clock.now - $0 >= interval } ?? true }
    }

    func note(newestRealtimeMicroseconds newest: UInt64?) {
        let looked = Looked(value: newest, at: clock.now)
        state.withLock { $0.newest = looked }
    }

    /// - Parameter time: of the batch that was saved last; `nil` when more follows it.
    func note(completeUntilMicroseconds time: UInt64?) {
        guard let time else { return }
        state.withLock { $0.completeUntilMicroseconds = time }
    }

    func note(_ health: JournalHealth) {
        let looked = Looked(value: health, at: clock.now)
        state.withLock { $0.health = looked }
    }

    /// - Returns: whether it could not be read before.
    func noteReadable() -> Bool {
        state.withLock { state in
            defer { state.unreadable = nil }
            return state.unreadable != nil
        }
    }

    /// - Returns: whether it could be read before.
    func noteUnreadable(because error: JournalError) -> Bool {
        let now = clock.now
        return state.withLock { state in
            state.lastStep = now
            defer { state.unreadable = error }
            return state.unreadable == nil
        }
    }

    /// Whether a position should be saved although there are no events to save with it.
    func isDue(_ position: JournalCursor?, after interval: Duration) -> Bool {
        state.withLock { position != $0.position && clock.now - $0.lastSave >= interval }
    }

    /// - Returns: whether this ends a pause.
    func noteSaved(_ batch: ResolvedBatch) -> Bool {
        let now = clock.now
        return state.withLock { state in
            state.lastStep = now
            state.lastSave = now
            state.position = batch.position ?? state.position
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
