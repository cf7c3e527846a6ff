import API
import Forward
import Logging
import Model
import ServiceLifecycle
import Settings
import Store
import Watches

/// Runs what watches events for alert rules, and a `Notifier` for each of those in the settings.
actor Alerting: Service {
    private struct Running {
        var options: AlertNotifier
        var notifier: Notifier
        var task: Task<Void, Never>
    }

    private let store: EventStore
    private let keeper: AlertKeeper
    private let namespace: String?
    private let logger: Logger
    private var running: [Running] = []
    /// Settings that the store had no room for yet.
    private var waiting: (settings: Settings, number: Int, reason: StoreError)?
    /// Whether no notifier is to be started any more.
    private var isStopped = false
    /// The number of the settings that came last.
    private var latest = 0
    /// What puts settings in force. One follows the other, so that the last ones win.
    private let keeping = OrderedWork()

    /// - Parameter namespace: of the journal that notices are written to.
    init(store: EventStore, keeper: AlertKeeper, namespace: String?, logger: Logger) {
        (self.store, self.keeper, self.namespace, self.logger) = (store, keeper, namespace, logger)
    }

    /// Replaces rules and notifiers. Those that stay the same go on, and try again if they wait, see `Notifier.probe`; what removed
    /// notifiers did not get is not sent.
    func use(_ settings: Settings) async {
        latest += 1
        // First: what of notices may be sent depends on their rules.
        await keep(settings, latest)
        let stopped = running.filter { !settings.notifiers.contains($0.options) }
        running.removeAll { !settings.notifiers.contains($0.options) }
        // First: two with one name would send the same notices.
        await stop(stopped.map(\.task))
        guard !isStopped else { return }
        let known = running
        running = settings.notifiers.map { options in known.first { $0.options == options } ?? start(options) }
        for item in known { await item.notifier.probe() }
    }

    private func keep(_ settings: Settings, _ number: Int) async {
        await keeping.run { await self.keepNow(settings, number) }
    }

    private func keepNow(_ settings: Settings, _ number: Int) async {
        guard number == latest else { return }
        do throws(StoreError) {
            try await keeper.use(settings.alerts)
            try await store.keepNotices(forOnly: settings.notifiers.map(\.name))
            waiting = nil
        } catch {
            if waiting == nil { logger.error("The alerts of the settings are not in force yet: \(error)") }
            waiting = (settings, number, error)
        }
    }

    /// Tries again what the store had no room for.
    func useWaiting() async {
        if let waiting { await keep(waiting.settings, waiting.number) }
    }

    private func start(_ options: AlertNotifier) -> Running {
        let notifier = Notifier(
            options, store: store, noticeFeed: keeper.noticeFeed, userAgent: "gloss/\(glossVersion)",
            namespace: namespace,
            protected: { [keeper] in await keeper.protected($0) },
            report: { [logger] in logger.log($0, of: "notifier") })
        return Running(options: options, notifier: notifier, task: Task { await notifier.run() })
    }

    /// What is wrong, one sentence each, with what to do about it.
    func problems() async -> [StatusProblem] {
        var problems = keeper.problems
        if let waiting {
            let what = "The alerts of the settings are not in force yet: \(waiting.reason)"
            problems.append(.init(.alertNotInForce, what: what, hint: waiting.reason.hint))
        }
        for item in running {
            guard let problem = await item.notifier.problem else { continue }
            let advice = problem.diagnostic.advice
            let (state, hint) =
                switch problem.diagnostic {
                case .notifierRetrying: ("is tried again", "kept, and tried again. See glossctl alerts history.")
                case .notifierWaiting: ("waits for the store", "kept. \(advice)")
                default: ("is held", "kept. \(advice)")
                }
            problems.append(
                StatusProblem(
                    problem.diagnostic, item.options.name,
                    what: "The notifier \(item.options.name) \(state): \(problem.reason)",
                    hint: "Its notices are \(hint)"))
        }
        return problems
    }

    /// Runs until shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown { [keeper] in await keeper.run() }
        isStopped = true
        await stop(running.map(\.task))
        running = []
    }
}
