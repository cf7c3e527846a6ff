import Dictionaries
import API
import Forward
import Linux
import Logging
import Model
import Serve
import ServiceLifecycle
import Store
import Watches

/// Runs one `Sink` for each sink in the settings.
actor Delivery: Service {
    private struct Running {
        var sink: Sink
        var task: Task<Void, Never>
    }

    private let store: EventStore
    private let outgoing: OutgoingEvents
    private let meanings: StandingPredicates
    private let logger: Logger
    /// The sinks in the settings.
    private var sinks: [SinkOptions] = []
    private var running: [Running] = []
    /// How long the attempts took of each sink that has run: one that comes back goes on counting.
    private var attemptTimes: [ExactString: Histograms<Verdict.Outcome>] = [:]
    /// Why some of them do not run; `nil` when all do.
    private var failure: StoreError?
    /// Whether no sink is to be started any more.
    private var isStopped = false
    /// What puts sinks in force, or opens them. One follows the other, so that the last ones win.
    private let changes = OrderedWork()

    /// - Parameter meanings: what predicates mean by the dictionaries in force.
    init(store: EventStore, dictionarySet: DictionarySet, meanings: StandingPredicates, logger: Logger) {
        (self.store, self.meanings, self.logger) = (store, meanings, logger)
        outgoing = OutgoingEvents(dictionarySet)
    }

    /// Replaces the running sinks. New ones begin at their `start`. Known ones take their new settings and try again
    /// immediately, see `Sink.reload`. Removed ones stop and no longer keep events in the store. Sinks that the store has no
    /// room to open wait for `openWaiting`.
    func use(_ sinks: [SinkOptions]) async {
        await changes.run { await self.useNow(sinks) }
    }

    private func useNow(_ sinks: [SinkOptions]) async {
        self.sinks = sinks
        let records = await open()
        guard !isStopped else { return }
        var next: [Running] = []
        var known: [(Sink, SinkOptions)] = []
        for options in sinks {
            if let item = running.first(where: { $0.sink.name == options.name }) {
                next.append(item)
                known.append((item.sink, options))
            } else if let record = records.first(where: { $0.name == options.name }) {
                next.append(start(options, record))
            }
        }
        let stopped = running.filter { old in !next.contains { $0.sink === old.sink } }
        running = next
        await stop(stopped.map(\.task))
        for (sink, options) in known { await sink.reload(options) }
    }

    /// Tries again to open the sinks that the store could not open.
    func openWaiting() async {
        if failure != nil { await changes.run { await self.openWaitingNow() } }
    }

    private func openWaitingNow() async {
        guard failure != nil else { return }
        let records = await open()
        guard !isStopped else { return }
        for options in sinks where !running.contains(where: { $0.sink.name == options.name }) {
            guard let record = records.first(where: { $0.name == options.name }) else { continue }
            running.append(start(options, record))
        }
    }

    /// - Returns: the records of the sinks that can run.
    private func open() async -> [SinkRecord] {
        do throws(StoreError) {
            let records = try await store.openSinks(sinks.map { ($0.name, $0.start) }, now: wallClock())
            if failure != nil { logger.notice("The store has opened all sinks.") }
            failure = nil
            return records
        } catch {
            if failure == nil {
                logger.error("Not all sinks can run: \(error)", metadata: error.hint.map { ["hint": "\($0)"] })
            }
            failure = error
            // Sinks that the store knows already need no room.
            return (try? await store.openedSinks()) ?? []
        }
    }

    /// Keeps values that these dictionaries call private out of new batches, and selects events by what predicates mean now. A
    /// frozen batch keeps its bytes.
    func use(_ dictionarySet: DictionarySet) async {
        outgoing.use(dictionarySet)
        for item in running { await item.sink.collectAgain() }
    }

    func activities() async -> [SinkActivity] {
        var activities: [SinkActivity] = []
        for options in sinks {
            if let item = running.first(where: { $0.sink.name == options.name }) {
                activities.append(await item.sink.activity)
            } else if failure != nil {
                activities.append(SinkActivity(waiting: options))
            }
        }
        return activities
    }

    /// What is wrong with the sinks together. What is wrong with one of them is part of its activity.
    var problems: [StatusProblem] {
        failure.map { [.init(.sinkNotOpened, what: "Not all sinks can run: \($0)", hint: $0.hint)] } ?? []
    }

    /// Returns how long the attempts of the running sinks took.
    func attempts() -> [SinkAttempts] {
        running.flatMap { item in
            item.sink.attempts.counts.map { SinkAttempts(sink: item.sink.name, outcome: $0.rawValue, times: $1) }
        }
    }

    /// Waits for shutdown and stops the sinks, which run since `use`.
    func run() async throws {
        try? await gracefulShutdown()
        isStopped = true
        await stop(running.map(\.task))
        running = []
    }

    private func start(_ options: SinkOptions, _ record: SinkRecord) -> Running {
        let name = ExactString(options.name)
        let attempts = attemptTimes[name] ?? Histograms(Verdict.Outcome.allCases)
        attemptTimes[name] = attempts
        let sink = Sink(
            options, record: record, store: store, attempts: attempts, userAgent: "gloss/\(glossVersion)",
            select: { [meanings] (options) throws(SinkError) in try meanings.predicate(of: options) },
            redact: { [outgoing] in outgoing.redacted($0) }, report: { [logger] in logger.log($0, of: "sink") })
        return Running(sink: sink, task: Task { await sink.run() })
    }
}

/// Abandons attempts in flight: batches are frozen in the store and are sent again with the same bytes, or their events in other
/// batches if the store had no room. Notices that were not delivered stay in the store.
/// - Parameter tasks: those of sinks or notifiers.
func stop(_ tasks: [Task<Void, Never>]) async {
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
}

extension StandingPredicates {
    /// Returns which events a sink gets.
    func predicate(of sink: SinkOptions) throws(SinkError) -> Predicate {
        do throws(PredicateFault) {
            return try sink.predicate.map(predicate) ?? .everything
        } catch {
            throw SinkError(error)
        }
    }
}

extension SinkError {
    init(_ fault: PredicateFault) { self.init("its predicate cannot be used: \(fault.reason)") }
}

extension Logger {
    /// - Parameter kind: what the report is of, a sink or a notifier.
    func log(_ report: SinkReport, of kind: String) {
        var metadata: Metadata = [kind: "\(report.name)"]
        if let hint = report.hint { metadata["hint"] = "\(hint)" }
        log(level: Level(report.level), "\(report.message)", metadata: metadata)
    }
}

extension Logger.Level {
    init(_ level: Level) {
        self =
            switch level {
            case .emerg, .alert, .crit: .critical
            case .err: .error
            case .warning: .warning
            case .notice: .notice
            case .info: .info
            case .debug: .debug
            }
    }
}
