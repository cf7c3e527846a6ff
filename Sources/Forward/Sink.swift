package import API
package import Model
import Store

/// One destination: a loop that reads events from the store from its own position, sends them in frozen batches, and
/// moves the position when the upstream has accepted them. Sinks are independent of each other.
///
/// There is always one loop and at most one batch in flight. Wherever it stops, the store has either the position
/// before the batch and, if there was room for it, the frozen batch, or the position after it.
package actor Sink {
    package nonisolated let name: String
    let store: any SinkStore
    let clock: SinkClock
    let random: @Sendable () -> UInt64
    let report: @Sendable (SinkReport) -> Void
    let select: @Sendable (SinkOptions) throws(SinkError) -> Predicate
    let redact: @Sendable (Event) -> Event
    let connect: @Sendable (SinkOptions) throws(SinkError) -> any Upstream
    /// Counts the causes that end a wait early: reloads, probes, and that events must be read again. (A feed is a
    /// number that tasks can wait on.)
    nonisolated let wakes = EventFeed()
    /// Counts the reloads that changed settings, which end an attempt early.
    nonisolated let changes = EventFeed()
    /// How long attempts took, by what came of them.
    package nonisolated let attempts: Histograms<Verdict.Outcome>

    var options: SinkOptions
    var delivery: DeliveryState
    var record: SinkRecord
    var batch: FrozenBatch?
    /// The reason of the last failure.
    var lastError: String?
    /// Whether the store did not take the last batch.
    var isBatchRefused = false
    /// Whether the store has no copy of the batch, since it had no room for one.
    var isBatchUnsaved = false
    /// Whether the next attempt waits for the store.
    var waitsForStore = false
    /// The batch that is being filled, and what was examined for it.
    var open: OpenBatch
    /// A batch that was frozen by settings that are no longer in force, and was not sent.
    var stale: FrozenBatch?
    /// When the position was moved behind events that are not delivered.
    var passed = Duration.zero
    /// The number of calls of `probe`.
    var probes = 0
    /// `probes` when the last attempt began.
    var lastProbe = 0
    var upstream: (any Upstream)?
    /// Whether the upstream was created with older settings.
    var isUpstreamOutdated = false

    /// - Parameters:
    ///   - options: settings that `check` has taken.
    ///   - record: the sink's state in the store (`EventStore.openSinks`).
    ///   - attempts: counts how long attempts take.
    ///   - userAgent: the `User-Agent` header, such as `gloss/1.0`.
    ///   - random: returns 64 random bits, for jitter and keys.
    ///   - select: returns which events the sink gets; its errors hold the sink.
    ///   - redact: returns the part of an event that may leave the machine; called for each event when it is added to a
    ///     batch.
    ///   - report: receives what is worth a line in the log.
    ///   - connect: returns the upstream; `nil` for `HTTPUpstream`.
    package init(
        _ options: SinkOptions, record: SinkRecord, store: any SinkStore,
        attempts: Histograms<Verdict.Outcome> = Histograms(Verdict.Outcome.allCases), userAgent: String = "gloss",
        clock: SinkClock = .system, random: @escaping @Sendable () -> UInt64 = Sink.systemRandom,
        select: @escaping @Sendable (SinkOptions) throws(SinkError) -> Predicate,
        redact: @escaping @Sendable (Event) -> Event, report: @escaping @Sendable (SinkReport) -> Void,
        connect: (@Sendable (SinkOptions) throws(SinkError) -> any Upstream)? = nil
    ) {
        name = options.name
        self.options = options
        self.record = record
        self.store = store
        self.attempts = attempts
        self.clock = clock
        self.random = random
        self.select = select
        self.redact = redact
        self.report = report
        if let connect {
            self.connect = connect
        } else {
            self.connect = { (options) throws(SinkError) in try HTTPUpstream(options, userAgent: userAgent) }
        }
        delivery = DeliveryState(DeliveryPolicy(options))
        open = OpenBatch(options, after: record.position)
    }

    package static let systemRandom: @Sendable () -> UInt64 = {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Returns a random number from 0 to 1, with all the bits of precision that a Double has there.
    static func jitter(_ random: () -> UInt64) -> Double { Double(random() >> 11) * 0x1p-53 }

    /// Checks whether a sink can send with these settings, before a reload changes anything.
    /// - Throws: `SinkError` when they cannot work: `url`, `headers`.
    package static func check(_ options: SinkOptions) throws(SinkError) {
        _ = try SinkEndpoint(options)
    }

    // MARK: from outside, at any time

    /// Applies new settings for the same sink; its position and frozen batch stay. A held or waiting sink tries
    /// immediately; if the settings are the same, not before the time in `Retry-After`. If they are not, an attempt that is
    /// under way is given up, and its batch is sent again.
    /// - Parameter options: settings that `check` has taken.
    package func reload(_ options: SinkOptions) {
        if options != self.options {
            delivery.forgetRetryAfter()
            changes.publish(changes.latest + 1)
        }
        self.options = options
        isUpstreamOutdated = true
        delivery.configure(DeliveryPolicy(options))
        probe()
    }

    /// Ends a held or waiting sink's wait: it makes an attempt now, but not before the time in `Retry-After`.
    package func probe() {
        probes += 1
        delivery.wake(at: clock.elapsed())
        wakes.publish(wakes.latest + 1)
    }

    /// Reads the events again that were collected and are not frozen yet. Call it when `select` or `redact` returns different
    /// results than before.
    package func collectAgain() {
        if delivery.step == .fill { delivery.wake(at: clock.elapsed()) }
        wakes.publish(wakes.latest + 1)
    }

    package var activity: SinkActivity {
        SinkActivity(
            name: name, url: SinkEndpoint.display(options.url), predicate: options.predicate, state: state,
            lastError: lastError,
            nextAttempt: nextAttempt, retryingFor: retryingFor)
    }

    private var retryingFor: Duration? {
        guard case .retrying = delivery.condition, let since = delivery.failingSince else { return nil }
        return clock.elapsed() - since
    }

    private var state: SinkStatus.State {
        if delivery.isDisabled { return .disabled }
        return switch delivery.condition {
        case .ok: .ok
        case .retrying: waitsForStore ? .paused : .retrying
        case .held: .held
        }
    }

    private var nextAttempt: WireTime? {
        guard case .wait(let until) = delivery.next(at: clock.elapsed()) else { return nil }
        let wait = (until - clock.elapsed()) / .microseconds(1)
        return WireTime(microseconds: clock.date() + UInt64(max(wait, 0)))
    }
}
