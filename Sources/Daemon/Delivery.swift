import API
import Forward
import Logging
import Model
import Serve
import ServiceLifecycle
import Store

/// The way out: one running `Sink` for each that the settings name.
actor Delivery: Service {
    private struct Running {
        var sink: Sink
        var task: Task<Void, Never>
    }

    private let store: EventStore
    private let outgoing: OutgoingEvents
    private let logger: Logger
    /// In the order of the settings.
    private var running: [Running] = []

    init(store: EventStore, lexicon: Lexicon, logger: Logger) {
        self.store = store
        outgoing = OutgoingEvents(lexicon)
        self.logger = logger
    }

    /// Runs these sinks from now on: new ones begin where they start, known ones take their settings and try at once,
    /// those that are gone stop, and no longer hold events back.
    /// - Throws: `StoreError`; `SinkError` when settings cannot work, which `Sink.check` tells before.
    func use(_ sinks: [SinkOptions]) async throws {
        let records = try await store.openSinks(sinks.map { ($0.name, $0.start) }, now: wallClock())
        var next: [Running] = []
        for options in sinks {
            if let known = running.first(where: { $0.sink.name == options.name }) {
                try await known.sink.reload(options)
                next.append(known)
            } else if let record = records.first(where: { $0.name == options.name }) {
                next.append(try start(options, record))
            }
        }
        let stopped = running.filter { old in !next.contains { $0.sink === old.sink } }
        running = next
        await stop(stopped)
    }

    /// From now on nothing is put into a batch that is private by this lexicon. A batch that is frozen keeps its bytes.
    func use(_ lexicon: Lexicon) async {
        outgoing.use(lexicon)
        for item in running { await item.sink.collectAgain() }
    }

    func activities() async -> [SinkActivity] {
        var activities: [SinkActivity] = []
        for item in running { activities.append(await item.sink.activity) }
        return activities
    }

    /// The sinks run from `use` on; as a service, this is what ends them in time.
    func run() async throws {
        try? await gracefulShutdown()
        await stop(running)
        running = []
    }

    private func start(_ options: SinkOptions, _ record: SinkRecord) throws(SinkError) -> Running {
        let sink = try Sink(
            options, record: record, store: store, userAgent: "gloss/\(glossVersion)",
            redact: { [outgoing] in outgoing.redacted($0) }, report: { [logger] in logger.log($0) })
        return Running(sink: sink, task: Task { await sink.run() })
    }

    /// An attempt in flight is abandoned: its batch is frozen in the store and is sent again, the same bytes.
    private func stop(_ sinks: [Running]) async {
        for item in sinks { item.task.cancel() }
        for item in sinks { await item.task.value }
    }
}

extension Logger {
    fileprivate func log(_ report: SinkReport) {
        var metadata: Metadata = ["sink": "\(report.sink)"]
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
