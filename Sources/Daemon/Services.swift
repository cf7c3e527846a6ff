import API
import Dictionaries
import Linux
import Logging
import Model
import Serve
import ServiceLifecycle
import Store
import UnixSignals
import Watches

/// The control socket as a service. When clients can connect, the daemon is ready.
struct ControlService: Service {
    let server: ControlServer
    let socket: ControlSocket
    let manager: ServiceManager
    let logger: Logger
    /// What the line `Ready.` says, see `summary(of:files:dictionaries:)`.
    let summary: String

    func run() async throws {
        try await server.run(on: socket) {
            manager.notify(.ready, status: "Ready")
            logger.info("Ready. \(summary)")
        } report: {
            logger.warning("\($0)")
        }
    }

    /// What people look for first when something does not come: which version reads what, with which dictionaries, and
    /// where it answers. One line.
    static func summary(
        of settings: (journal: JournalLocation, socket: String), files: Int, dictionaries: [EventDictionary]
    ) -> String {
        let names = dictionaries.map { "\($0.options.name) (\($0.definitionCount.counted("definition")))" }
        return """
            glossd \(glossVersion); journal: \(settings.journal.name), \(files.counted("file")); \
            dictionaries: \(names.isEmpty ? "none" : names.joined(separator: ", ")); socket: \(settings.socket)
            """.oneLine
    }
}

/// Reloads on SIGHUP, as `glossctl reload` does.
struct SIGHUPHandler: Service {
    /// The arrivals of SIGHUP.
    let signals: UnixSignalsSequence
    let reloader: Reloader
    let manager: ServiceManager

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            manager.notify(.reloading, status: "Reloading")
            // The reloader has logged what was wrong; what was in force stays in force.
            _ = try? await reloader.reload()
            manager.notify(.ready, status: "Ready")
        }
    }
}

/// Reloads dictionaries when their files change.
struct FileChanges: Service {
    let watcher: DictionaryWatcher
    let reloader: Reloader
    let logger: Logger

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            var lastShortage: String?
            while let folders = await watcher.next() {
                let shortage = watcher.shortage
                if shortage != lastShortage { log(shortage) }
                lastShortage = shortage
                if !folders.isEmpty { await reloader.reload(folders: folders) }
            }
        } onCancelOrGracefulShutdown: {
            watcher.stop()
            reloader.stop()
        }
    }

    private func log(_ shortage: String?) {
        if let shortage {
            logger.notice("Dictionary folders are only polled, every 2 s: \(shortage)")
        } else {
            logger.notice("The dictionaries' folders are watched again.")
        }
    }
}

/// Keeps the store within its limits, in short steps between which the intake can save, and logs damage that was met. Keeps the
/// process small, too.
actor Maintenance: Service {
    private static let interval = Duration.seconds(5)
    /// How many intervals are between two looks at the process' memory.
    private static let intervalsOfMemory = 12

    private let store: EventStore
    private let logger: Logger
    private let maintained: @Sendable () async -> Void
    /// Why the store could not be kept within its limits last; `nil` if it could.
    private var failure: StoreError?

    /// - Parameter maintained: called after maintenance, for work that may have waited for room in the store.
    init(store: EventStore, logger: Logger, maintained: @escaping @Sendable () async -> Void) {
        (self.store, self.logger, self.maintained) = (store, logger, maintained)
    }

    var problems: [StatusProblem] {
        failure.map { [.init(.storeNotMaintained, what: "The store is not maintained: \($0)", hint: $0.hint)] } ?? []
    }

    func run() async throws {
        var (isDamaged, rounds) = (false, 0)
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            let before = failure
            failure = await maintain()
            if let failure {
                // A step that did not happen loses nothing. A failure that lasts is logged once.
                if before == nil { logger.error("The store maintenance failed: \(failure)") }
            } else {
                await maintained()
            }
            if !isDamaged, let damage = store.damage {
                isDamaged = true
                logger.critical(
                    "What needs the damaged part of the store fails: \(damage)",
                    metadata: damage.hint.map { ["hint": "\($0)"] })
            }
            rounds += 1
            if rounds.isMultiple(of: Self.intervalsOfMemory) { returnFreedMemory() }
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.interval) }
        }
    }

    private func maintain() async -> StoreError? {
        do throws(StoreError) {
            while try await store.maintain(now: wallClock()) && !Task.isShuttingDownGracefully {}
            return nil
        } catch {
            return error
        }
    }
}

/// Packs the newest events into blocks while the intake continues.
struct Packing: Service {
    let store: EventStore
    let logger: Logger

    func run() async throws {
        for await _ in store.blocksReady.cancelOnGracefulShutdown() {
            // Nothing is lost: the intake packs them with the batch that fills the block, and reports the error then.
            do { try await store.packNewest() } catch { logger.debug("The newest events were not packed: \(error)") }
        }
    }
}

/// Counts events for checklists as they come.
struct Watching: Service {
    let checklists: ChecklistKeeper

    func run() async throws { await cancelWhenGracefulShutdown { await checklists.run() } }
}
