import API
import Dictionaries
import Journal
import Linux
import Logging
import Model
import Resolve
import Serve
import ServiceLifecycle
import Settings
import Store
import UnixSignals
import Watches

/// All of glossd, wired together:
///
///     journal --> JournalReader --> Intake (resolve) --> EventStore --> ControlServer --> glossctl
///                                                             \------> Delivery ------> upstream
struct Daemon: Service {
    private let configurationPath: String
    private let logger: Logger
    private let manager = ServiceManager()

    init(configurationPath: String, logger: Logger) {
        self.configurationPath = configurationPath
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT, or until something fails that a restart or a person must fix. However it ends, the
    /// store is consistent, and the next start continues from there.
    /// - Throws: `SettingsError` when the settings cannot be used, or the error that ended it.
    func runUntilStopped() async throws {
        let group = ServiceGroupConfiguration(
            services: [.init(named: self)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await ServiceGroup(configuration: group).run()
    }

    /// Called by `runUntilStopped`. Starting may take long, and the same signals stop it.
    func run() async throws {
        // From here on SIGHUP does not end the process. The reload that it asks for waits until the daemon has started.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let started: (store: EventStore, services: ServiceGroup)
        do {
            started = try await start(hangups)
        } catch  where Task.isShuttingDownGracefully {
            logger.info("Stopped before it had started.")
            return
        }
        do {
            try await started.services.run()
        } catch is CancellationError where Task.isShuttingDownGracefully {
            // Services that did not end in time were cancelled. What they had not saved is read again.
        }
        await started.store.close()
        logger.info("Stopped.")
    }

    /// - Throws: the error of the step that failed; `CancellationError` when the daemon is stopped meanwhile.
    private func start(_ hangups: UnixSignalsSequence) async throws -> (EventStore, ServiceGroup) {
        var configuration = try Configuration(path: configurationPath)
        let settings = configuration.settings
        for problem in configuration.dictionaryErrors { logger.error("\(problem)") }
        for warning in configuration.dictionaryWarnings + configuration.doubts { logger.warning("\(warning)") }
        if let warning = settings.privacy.warning { logger.warning("\(warning)") }

        // Comes before anything is read or written: only one daemon can have the socket.
        let socket = try ControlSocket(settings.control)
        let whenRoom = RoomWait(logger: logger, manager: manager)
        let store = try await whenRoom { try await EventStore(settings.store) }
        if let error = store.exclusion { logger.warning("\(error)", metadata: ["hint": "\(error.hint ?? "")"]) }
        store.use(settings.sources)
        do {
            return (store, try await services(&configuration, store, socket, whenRoom, hangups))
        } catch {
            await store.close()
            throw error
        }
    }

    private func services(
        _ configuration: inout Configuration, _ store: EventStore, _ socket: ControlSocket, _ whenRoom: RoomWait,
        _ hangups: UnixSignalsSequence
    ) async throws -> ServiceGroup {
        let settings = configuration.settings
        try Self.checkStop()
        let key = try await whenRoom { try HashKey(in: StateFolder(ofStore: settings.store.path)) }
        let hasLostKey = key.isNew ? try await store.statistics().newestRealtimeMicroseconds != nil : false
        if hasLostKey { logger.warning("\(HashKey.lostWarning)") }
        let (parts, dictionaries) = try await parts(&configuration, store, key, whenRoom)
        let reloader = Reloader(
            path: configurationPath, configuration: configuration, dictionaries: dictionaries, key: key.bytes,
            archive: parts.archive, target: parts, logger: logger)
        let maintenance = Maintenance(store: store, logger: logger) {
            await reloader.tryVersionsAgain()
            await parts.delivery.openWaiting()
            await parts.alerting.useWaiting()
        }
        let problems = ProblemSearch(parts: parts, reloader: reloader, maintenance: maintenance)
        let diagnostics = Diagnostics(
            store: store, namespace: settings.journal.location.namespace, logger: logger
        ) {
            await problems.current()
        } droppedNotices: {
            parts.alerts.dropped
        }
        if hasLostKey { await diagnostics.note(.privacyKeyLost, HashKey.lostWarning) }
        let control = ControlService(
            server: ControlServer(
                options: settings.control, store: store,
                daemon: DaemonState(problems: problems, diagnostics: diagnostics)),
            socket: socket, manager: manager, logger: logger,
            summary: ControlService.summary(
                of: (settings.journal.location, settings.control.socket),
                files: parts.reader.condition.health.readableFiles, dictionaries: dictionaries.map(\.dictionary)))

        let services: [any Service] = [
            maintenance,
            control,
            parts.reprocessor,
            Packing(store: store, logger: logger),
            parts.intake,
            parts.delivery,
            Watching(checklists: parts.checklists),
            parts.alerting,
            diagnostics,
            SIGHUPHandler(signals: hangups, reloader: reloader, manager: manager),
            FileChanges(watcher: parts.watcher, reloader: reloader, logger: logger),
            Watchdog(manager: manager, progress: parts.progress, logger: logger),
        ]
        var group = ServiceGroupConfiguration(
            services: services.map { .init(named: $0) }, logger: logger)
        // Services that have not ended by then are cancelled, which loses nothing. The unit allows ten seconds.
        group.maximumGracefulShutdownDuration = .seconds(4)
        return ServiceGroup(configuration: group)
    }

    /// Makes the parts, and puts the settings and dictionaries in force in them.
    private func parts(
        _ configuration: inout Configuration, _ store: EventStore, _ key: HashKey, _ whenRoom: RoomWait
    ) async throws -> (parts: Parts, dictionaries: [LoadedDictionary]) {
        let settings = configuration.settings
        var journal = settings.journal
        journal.entryKey = key.entryKey
        journal.maximumChains = settings.store.maximumChains
        let lookup = JournalLookup(options: journal)
        store.use(lookup)
        let archive = DictionaryArchive(store: store, logger: logger)
        let dictionaries = await archive.begin(with: &configuration.dictionaries)
        let dictionarySet = DictionarySet(
            dictionaries.map(\.dictionary), sources: settings.sources,
            protection: Protection(mode: settings.privacy, key: key.bytes))

        try Self.checkStop()
        let (journalName, state) = try await Self.readingState(of: settings.journal.location, store)
        // The entries of a journal that is new may be stored all the same: it may have had another name.
        let knownUntil =
            if let state { state.knownUntilMicroseconds } else {
                try await store.statistics().newestRealtimeMicroseconds
            }
        if state == nil, knownUntil != nil {
            logger.notice(
                """
                The store has events, but no position in the journal \(journalName): it is read from journal.start on.
                """)
        }
        let reader = await JournalReader(options: journal, rules: settings.rules, from: state)
        for journal in reader.condition.health.uncovered {
            logger.notice("Not covered by these settings: \(journal)")
        }
        let progress = IntakeProgress(state)
        let intake = Intake(
            reader: reader, resolver: dictionarySet.resolver, store: store,
            journal: journalName, knownUntil: knownUntil, progress: progress, logger: logger)
        let reprocessor = Reprocessor(
            store: store, archive: archive, batches: intake.batches, dictionarySet: dictionarySet, logger: logger)
        if settings.privacy == .reveal { try await whenRoom { try await reprocessor.willReveal() } }
        let meanings = StandingPredicates(dictionarySet.dictionaries, dictionarySet.privacy) {
            Protection(mode: .protect, key: key.bytes).hash(of: $0)
        }
        let delivery = Delivery(store: store, dictionarySet: dictionarySet, meanings: meanings, logger: logger)
        await delivery.use(settings.sinks)
        let checklists = ChecklistKeeper(
            store: store, meanings: meanings, clock: wallClock, report: { logger.error("\($0)") })
        try await checklists.load()
        let alerts = AlertKeeper(
            store: store, meanings: meanings, clock: wallClock,
            completeUntil: { progress.snapshot.completeUntilMicroseconds }, report: { logger.error("\($0)") })
        let alerting = Alerting(
            store: store, keeper: alerts, namespace: settings.journal.location.namespace, logger: logger)
        await alerting.use(settings)
        let parts = Parts(
            store: store, journal: journal, journalName: journalName, lookup: lookup, reader: reader, intake: intake,
            archive: archive, reprocessor: reprocessor, meanings: meanings, delivery: delivery, checklists: checklists,
            alerts: alerts, alerting: alerting,
            watcher: DictionaryWatcher(folders: settings.dictionaries.map(\.path)))
        return (parts, dictionaries)
    }

    /// Returns how far the journal was read, and the name under which that is saved: also later, since links in its path may
    /// change while it is read.
    private static func readingState(
        of journal: JournalLocation, _ store: EventStore
    ) async throws -> (name: String, state: ReadingState?) {
        let names = journal.savedNames
        var newest: (name: String, state: ReadingState?, time: UInt64) = (names[0], nil, 0)
        for name in names {
            guard let state = try await store.readingState(ofJournal: name) else { continue }
            // Under another name it may have been read on since.
            let time = state.files.compactMap { $0.last?.cursor.realtimeMicroseconds }.max() ?? 0
            if newest.state == nil || time > newest.time { newest = (name, state, time) }
        }
        return (newest.name, newest.state)
    }

    /// Called between steps, because a step that has begun runs to its end.
    private static func checkStop() throws {
        if Task.isShuttingDownGracefully { throw CancellationError() }
    }
}

extension ServiceGroupConfiguration.ServiceConfiguration {
    /// Names it after its type. The default name would be a dump of everything that it holds.
    fileprivate init(named service: any Service) {
        self.init(service: service, serviceName: "\(type(of: service))")
    }
}
