import Linux
package import Model
import Synchronization

/// Reads a journal from the saved position: first the existing entries, then new ones.
///
/// The caller calls `nextBatch` repeatedly, saves each batch and its progress together, and passes the state at the
/// next start. Nothing is read ahead, so back-pressure is simply not calling.
///
/// Each file is read from its own place to its end, whatever its name is and whenever it appears. Entries that a file
/// promised and does not have are in the batch as a gap, and so are sequence numbers that no file has.
package final class JournalReader: Sendable {
    /// The interval of polling for entries while a person watches.
    private static let pollInterval = Duration.milliseconds(5)

    /// The requests of other tasks while it reads or waits.
    private struct Orders {
        var rules: [SourceRule]?
        var isWoken = false
        var isPolling = false
    }

    private let queue = WorkQueue("gloss.journal")
    /// The session. It is used only on `queue`, one call at a time, so the mutex never blocks.
    private let session: Mutex<JournalSession>
    private let orders = Mutex(Orders())
    private let orderEvent = EventDescriptor()
    private let lastCondition: Mutex<JournalCondition>
    /// The time from which entries are read, in microseconds since 1970, if it was determined just now. The caller saves it
    /// before it reads, because the next start would determine a later one.
    package let newStart: UInt64?

    /// Finds the journal's files. A journal that does not exist or cannot be read is not an error: the search is
    /// repeated every two seconds, and `condition` shows the problem.
    /// - Parameter state: how far the journal was read earlier; `nil` begins at `options.start`.
    package init(options: JournalOptions, rules: [SourceRule], from state: ReadingState?) async {
        let session = JournalSession(options: options, rules: rules, from: state)
        newStart = session.newStart
        lastCondition = Mutex(JournalCondition())
        self.session = Mutex(session)
        await look()
    }

    /// The condition of the journal when it was last read or examined.
    package var condition: JournalCondition { lastCondition.withLock { $0 } }

    /// Returns the next entries, up to `limit`. While there are none, it waits; after `wait` or `wake()` it returns an
    /// empty batch.
    package func nextBatch(limit: BatchLimit, wait: Duration) async -> EntryBatch {
        await queue.run { [self] in
            session.withLock { session in
                let deadline = ContinuousClock.now + wait
                var (progress, passed) = (ReadingProgress(), 0)
                while true {
                    let orders = takeOrders()
                    if let rules = orders.rules { session.setRules(rules) }
                    if orders.isWoken { session.checkSoon() }
                    let start = ContinuousClock.now
                    var batch = session.read(limit)
                    if let condition = session.takeCondition() { lastCondition.withLock { $0 = condition } }
                    progress.add(batch.progress)
                    passed += batch.entriesPassed
                    let now = ContinuousClock.now
                    let rest = deadline - now
                    if batch.entriesRead > 0 || !batch.gaps.isEmpty || !progress.holes.isEmpty || orders.isWoken
                        || rest <= .zero
                    {
                        (batch.progress, batch.entriesPassed) = (progress, passed)
                        return batch
                    }
                    // Only old entries were passed so far.
                    guard batch.reachedEnd else { continue }
                    let pause = orders.isPolling ? max(Self.pollInterval, (now - start) * 9) : rest
                    session.wait(atMost: min(rest, pause), orderEvent)
                }
            }
        }
    }

    private func takeOrders() -> Orders {
        orders.withLock { orders in
            defer {
                orders.rules = nil
                orders.isWoken = false
            }
            return orders
        }
    }

    /// Updates `condition` without reading entries.
    package func look() async {
        await queue.run { [self] in
            session.withLock { session in
                session.look()
                if let condition = session.takeCondition() { lastCondition.withLock { $0 = condition } }
            }
        }
    }

    /// Uses other rules from the next batch on.
    package func setRules(_ rules: [SourceRule]) {
        orders.withLock { $0.rules = rules }
    }

    /// Makes `nextBatch` check for everything that exists now, and return: the call that is waiting, or else the next
    /// one that would wait.
    package func wake() {
        orders.withLock { $0.isWoken = true }
        orderEvent.signal()
    }

    /// Polls for entries every 5 ms instead of waiting for journald's notification, which comes up to 250 ms late. With
    /// many files it polls less often, so that it takes a tenth of a core. It is meant for the time in which a person
    /// watches.
    package func setPolling(_ isPolling: Bool) {
        orders.withLock { $0.isPolling = isPolling }
        orderEvent.signal()
    }
}

/// The limits of one read of the journal. A batch ends at the limit that is reached first.
package struct BatchLimit: Sendable, Hashable {
    /// The most entries, whether a rule took them or not, or they were only passed because they are older than the start.
    package var maximumEntriesRead: Int
    /// The most entries that a rule took.
    package var maximumEvents: Int
    /// The most bytes of payloads and of names that are new in the batch. The batch may exceed it by one payload, that
    /// is, by `JournalOptions.maximumFieldBytes`.
    package var maximumEventBytes: Int

    package init(maximumEntriesRead: Int = 4096, maximumEvents: Int = 2048, maximumEventBytes: Int = 1 << 20) {
        self.maximumEntriesRead = max(1, maximumEntriesRead)
        self.maximumEvents = max(1, maximumEvents)
        self.maximumEventBytes = max(1, maximumEventBytes)
    }
}
