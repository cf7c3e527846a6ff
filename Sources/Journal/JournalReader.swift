internal import CSystemd
import Glibc
package import Model
import Synchronization

/// Reads a journal from a saved position on: what is there, then what comes. All of it happens on one thread.
///
/// Whoever reads calls `nextBatch` again and again, saves the batch and its position together, and hands the position
/// in at the next start. Nothing is read ahead, so not calling is all the back-pressure there is.
///
/// What resuming guarantees, and what it cannot:
/// - The entry at the position is skipped, whether anything was taken from it or not; every entry after it is read.
/// - Position deleted: it goes on at the oldest entry that is newer. A gap is reported if sequence numbers are missing.
/// - Journal numbered anew (flushed from /run, or begun afresh): the same entry is recognised by its times and hash.
///   When it is gone, the boot's monotonic time tells what is newer. Only where the boot is gone as well the clock
///   does, five seconds early: those may be read twice.
/// - Position newer than the whole journal (the clock was set back, the journal was replaced): it goes on behind the
///   newest entry that was certainly read, else at the oldest one, with a gap. Entries may be read twice, none is left
///   out.
///
/// - Source: sd-journal(3); systemd issues 6213 and 30288
package actor JournalReader {
    private let thread: JournalThread
    private let signals = Signals()
    private let session: JournalSession

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Opens the journal. A journal that is not there, or that may not be read, is no error: it is looked for again
    /// every two seconds, and `health()` tells.
    /// - Parameter position: the last entry that was read, or `nil` to begin at `options.start`.
    /// - Throws: `JournalError` when libsystemd refuses the location or the thread cannot be started.
    package init(
        options: JournalOptions, rules: [SourceRule], resumeAfter position: JournalCursor?
    ) async throws(JournalError) {
        try await self.init(
            session: JournalSession(options: options, rules: rules, resumeAfter: position, clock: realtimeMicroseconds))
    }

    init(session: sending JournalSession) async throws(JournalError) {
        thread = try JournalThread()
        self.session = session
        try open()
    }

    // The session's journal is closed on the thread that opened it.
    isolated deinit {}

    private func open() throws(JournalError) {
        try session.keepUp()
    }

    /// The next entries, as many as there are up to `limit`. While there are none it waits, and comes back with an
    /// empty batch after `wait`, after `wake()`, or when something else is asked of the reader.
    /// - Throws: `JournalError` when the journal cannot be read. No entry is lost by it: the next call opens the
    ///   journal anew and goes on behind the last batch.
    package func nextBatch(limit: BatchLimit, wait: Duration) async throws(JournalError) -> EntryBatch {
        let deadline = ContinuousClock.now + wait
        while true {
            if signals.isWoken { session.checkSoon() }
            let batch = try session.read(limit)
            if batch.entriesRead > 0 || batch.position != nil || !batch.gaps.isEmpty { return batch }
            let rest = deadline - ContinuousClock.now
            if signals.takeWake() || thread.isWanted || rest <= .zero { return batch }
            pause(atMost: min(rest, signals.isPolling ? .milliseconds(10) : JournalSession.checkInterval))
        }
    }

    /// Takes other rules from the next entry on.
    package func setRules(_ rules: [SourceRule]) {
        session.setRules(rules)
    }

    /// Makes `nextBatch` look for everything that is there now, and return: the one that waits, or else the next one that
    /// would.
    package nonisolated func wake() {
        signals.wake()
        thread.alarm.ring()
    }

    /// Looks for entries every 10 ms rather than waiting for journald's notice, which comes up to 250 ms late. For as
    /// long as somebody watches; it costs 0.3 % of a core.
    package nonisolated func setPolling(_ isPolling: Bool) {
        signals.isPolling = isPolling
        thread.alarm.ring()
    }

    /// When the journal's oldest and newest entry were written, in microseconds since 1970; `nil` when it is empty.
    package func extent() throws(JournalError) -> (oldestMicroseconds: UInt64, newestMicroseconds: UInt64)? {
        // Nobody may have read for long: the newest file may be one that is not open yet.
        try session.keepUp()
        return try session.extent().map { ($0.oldest, $0.newest) }
    }

    /// Compares what is in the journal's folders with what can be read of it.
    package func health() -> JournalHealth {
        session.health()
    }

    /// Blocks the thread until the journal changes or somebody rings.
    private func pause(atMost duration: Duration) {
        var descriptors = [
            pollfd(fd: thread.alarm.descriptor, events: Int16(POLLIN), revents: 0),
            // poll(2) ignores a negative descriptor.
            pollfd(fd: session.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = Int32(clamping: Int64((duration / .milliseconds(1)).rounded(.up)))
        poll(&descriptors, nfds_t(descriptors.count), max(1, milliseconds))
        if descriptors[0].revents != 0 { thread.alarm.wait() }
    }

    /// What other threads tell the reader while it waits.
    private final class Signals: Sendable {
        private let wakeRequested = Atomic(false)
        private let polling = Atomic(false)

        var isPolling: Bool {
            get { polling.load(ordering: .relaxed) }
            set { polling.store(newValue, ordering: .relaxed) }
        }

        var isWoken: Bool { wakeRequested.load(ordering: .acquiring) }

        func wake() { wakeRequested.store(true, ordering: .releasing) }

        func takeWake() -> Bool { wakeRequested.exchange(false, ordering: .acquiringAndReleasing) }
    }
}

@Sendable
func realtimeMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
