import API
import Glibc
import Journal
import Logging
import Model
import Resolve
import Serve
import ServiceLifecycle
import Settings
import Store
import UnixSignals

/// The whole of glossd, put together:
///
///     journal --> JournalReader --> Intake (resolve) --> EventStore --> ControlServer --> glossctl
///                                                             \------> Delivery ------> upstream
struct Daemon {
    private let configurationPath: String
    private let configuration: Configuration
    private let logger: Logger
    private let manager = ServiceManager()

    /// - Throws: `SettingsError`.
    init(configurationPath: String, logger: Logger) throws(SettingsError) {
        self.configurationPath = configurationPath
        self.logger = logger
        configuration = try Configuration(path: configurationPath, nowMicroseconds: wallClock())
    }

    /// Runs until SIGTERM or SIGINT, or until something fails that a restart or a person must mend. Whatever ends it, what
    /// is in the store is whole, and the next start goes on from there.
    func run() async throws {
        let settings = configuration.settings
        for problem in configuration.dictionaryProblems { logger.error("\(problem)") }
        for warning in configuration.warnings { logger.warning("\(warning)") }

        let store = try await EventStore(settings.store)
        let position = try await store.position(ofJournal: settings.journal.location.name)
        let reader = try await JournalReader(
            options: settings.journal, rules: Self.rules(settings), resumeAfter: position)
        for journal in await reader.health().uncovered { logger.notice("Not covered by these settings: \(journal)") }
        let progress = IntakeProgress(position: position)
        let intake = Intake(
            reader: reader, dictionaries: configuration.dictionaries.map(\.dictionary.dictionary), store: store,
            journal: settings.journal.location, progress: progress, logger: logger)
        let delivery = Delivery(store: store, logger: logger)
        try await delivery.use(settings.sinks)
        let reloader = Reloader(path: configurationPath, configuration: configuration, logger: logger) { next in
            try await delivery.use(next.settings.sinks)
            await intake.use(next.dictionaries.map(\.dictionary.dictionary))
            await reader.setRules(Self.rules(next.settings))
        }
        let state = try DaemonState(
            settings: settings, progress: progress, delivery: delivery, reloader: reloader, reader: reader)
        let control = ControlService(
            server: ControlServer(options: settings.control, store: store, daemon: state.interface), manager: manager,
            logger: logger)

        let services: [any Service] = [
            Upkeep(store: store, logger: logger),
            control,
            intake,
            delivery,
            HangUp(reloader: reloader, manager: manager),
            Watchdog(manager: manager, progress: progress, logger: logger),
        ]
        var group = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // systemd asks for five seconds at most; what has not ended by then is cancelled, which loses nothing either.
        group.maximumGracefulShutdownDuration = .seconds(4)
        try await ServiceGroup(configuration: group).run()
        await store.close()
        logger.info("Stopped.")
    }

    /// The settings' rules, and before them one that passes over the daemon's own log lines: an event that makes the
    /// daemon log must not lead to another event. `_COMM` is set by the kernel, not by the sender.
    private static func rules(_ settings: Settings) -> [SourceRule] {
        [SourceRule(excluding: [.init(field: "_COMM", value: Glob("glossd"))], text: "glossd itself")]
            + settings.sources
    }
}
