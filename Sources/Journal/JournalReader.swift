import Linux
package import Model
import Synchronization

/// Reads a journal from where it was read to before: what is there, then what comes.
///
/// Whoever reads calls `nextBatch` again and again, saves the batch and its progress together, and hands the state in at
/// the next start. Nothing is read ahead, so not calling is all the back-pressure there is.
///
/// Each file is read from its own place to its end, whatever it is called and whenever it comes. What a file promised and
/// does not give is in the batch as a gap, and so are sequence numbers that no file has.
package final class JournalReader: Sendable {
    /// How often entries are looked for while somebody watches.
    private static let pollInterval = Duration.milliseconds(5)

    /// What others want of it while it reads or waits.
    private struct Orders {
        var rules: [SourceRule]?
        var isWoken = false
        var isPolling = false
    }

    private let queue = WorkQueue("gloss.journal")
    /// Only touched on `queue`, one call at a time, so that nobody ever waits for it.
    private let session: Mutex<JournalSession>
    private let orders = Mutex(Orders())
    private let orderEvent = EventDescriptor()
    private let lastCondition: Mutex<JournalCondition>

    /// Looks for the journal's files. A journal that is not there, or that may not be read, is no error: it is looked for
    /// again every two seconds, and `condition` tells.
    /// - Parameter state: how far it was read before; `nil` begins at `options.start`.
    package init(options: JournalOptions, rules: [SourceRule], from state: ReadingState?) async {
        let session = JournalSession(options: options, rules: rules, from: state)
        session.look()
        lastCondition = Mutex(session.condition)
        self.session = Mutex(session)
    }

    /// What there was of the journal when it was read or looked at last.
    package var condition: JournalCondition { lastCondition.withLock { $0 } }

    /// The next entries, as many as there are up to `limit`. While there are none it waits, and comes back with an
    /// empty batch after `wait` or `wake()`.
    package func nextBatch(limit: BatchLimit, wait: Duration) async -> EntryBatch {
        await queue.run { [self] in
            session.withLock { session in
                let deadline = ContinuousClock.now + wait
                var progress = ReadingProgress()
                while true {
                    let orders = takeOrders()
                    if let rules = orders.rules { session.setRules(rules) }
                    if orders.isWoken { session.checkSoon() }
                    let start = ContinuousClock.now
                    var batch = session.read(limit)
                    if let condition = session.takeCondition() { lastCondition.withLock { $0 = condition } }
                    progress.add(batch.progress)
                    let now = ContinuousClock.now
                    let rest = deadline - now
                    if batch.entriesRead > 0 || !batch.gaps.isEmpty || !progress.holes.isEmpty || orders.isWoken
                        || rest <= .zero
                    {
                        batch.progress = progress
                        return batch
                    }
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

    /// Brings `condition` up to date while nobody reads.
    package func look() async {
        await queue.run { [self] in
            session.withLock { session in
                session.look()
                if let condition = session.takeCondition() { lastCondition.withLock { $0 = condition } }
            }
        }
    }

    /// Takes other rules from the next batch on.
    package func setRules(_ rules: [SourceRule]) {
        orders.withLock { $0.rules = rules }
    }

    /// Makes `nextBatch` look for everything that is there now, and return: the one that waits, or else the next one that
    /// would.
    package func wake() {
        orders.withLock { $0.isWoken = true }
        orderEvent.signal()
    }

    /// Looks for entries every 5 ms rather than waiting for journald's notice, which comes up to 250 ms late; of many files
    /// so often that it takes a tenth of a core. For as long as somebody watches.
    package func setPolling(_ isPolling: Bool) {
        orders.withLock { $0.isPolling = isPolling }
        orderEvent.signal()
    }
}

/// How much one read of the journal may give. A batch ends at whichever limit is reached first.
package struct BatchLimit: Sendable, Hashable {
    /// Taken by a rule or not.
    package var maximumEntriesRead: Int
    /// Entries that a rule took.
    package var maximumEvents: Int
    /// Of payloads, and of the names that are new in it. The batch may be larger than this by one payload, that is, by `JournalOptions.maximumFieldBytes`.
    package var maximumEventBytes: Int

    package init(maximumEntriesRead: Int = 4096, maximumEvents: Int = 2048, maximumEventBytes: Int = 1 << 20) {
        self.maximumEntriesRead = max(1, maximumEntriesRead)
        self.maximumEvents = max(1, maximumEvents)
        self.maximumEventBytes = max(1, maximumEventBytes)
    }
}
