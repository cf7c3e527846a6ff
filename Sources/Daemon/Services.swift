import Dictionaries
import Linux
import Logging
import Model
import Serve
import ServiceLifecycle
import Store
import UnixSignals

/// The control socket as a service. When clients can connect, the daemon is ready.
struct ControlService: Service {
    let server: ControlServer
    let socket: ControlSocket
    let manager: ServiceManager
    let logger: Logger
    /// What is ready, see `summary`.
    let summary: String

    func run() async throws {
        try await server.run(on: socket) {
            manager.tell(.ready, status: "Ready")
            logger.info("Ready. \(summary)")
        }
    }

    /// What people look for first when something does not come: which version reads what, with which dictionaries, and
    /// where it answers. One line.
    static func summary(
        of settings: (journal: JournalLocation, socket: String), files: Int, dictionaries: [EventDictionary]
    ) -> String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let names = dictionaries.map { dictionary in
            let definitions = dictionary.categories.reduce(0) { $0 + $1.definitions.count }
            return "\(dictionary.options.name) (\(count(definitions, "definition")))"
        }
        return """
            glossd \(glossVersion); journal: \(settings.journal.name), \(count(files, "file")); \
            dictionaries: \(names.isEmpty ? "none" : names.joined(separator: ", ")); socket: \(settings.socket)
            """.oneLine
    }
}

/// SIGHUP means reload, as `glossctl reload` does.
struct SIGHUPHandler: Service {
    /// Of SIGHUP.
    let signals: UnixSignalsSequence
    let reloader: Reloader
    let manager: ServiceManager

    func run() async throws {
        for await _ in signals.cancelOnGracefulShutdown() {
            manager.tell(.reloading, status: "Reloading")
            // What was wrong is logged where it was found, and what was in force stays.
            _ = try? await reloader.reload()
            manager.tell(.ready, status: "Ready")
        }
    }
}

/// Changed definitions are put in force as they are written, without anybody having to ask.
struct FileChanges: Service {
    let watcher: DictionaryWatcher
    let reloader: Reloader
    let logger: Logger

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            var lastShortage: String?
            while let folders = await watcher.next() {
                let shortage = watcher.shortage
                if shortage != lastShortage { tell(shortage) }
                lastShortage = shortage
                if !folders.isEmpty { await reloader.reload(folders: folders) }
            }
        } onCancelOrGracefulShutdown: {
            watcher.stop()
            reloader.stop()
        }
    }

    private func tell(_ shortage: String?) {
        if let shortage {
            logger.notice("Changes of the dictionaries are looked for every 2 s only: \(shortage)")
        } else {
            logger.notice("The dictionaries' folders are watched again.")
        }
    }
}

/// Keeps the store within its limits, in steps that let the intake in between, and tells of damage that was met.
struct Maintenance: Service {
    private static let interval = Duration.seconds(5)

    let store: EventStore
    let logger: Logger
    /// What may have waited for room in the store.
    let maintained: @Sendable () async -> Void

    func run() async throws {
        var (hasFailed, isDamaged) = (false, false)
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            if let error = await maintain() {
                // Nothing is lost by a step that did not happen; what keeps failing is told once.
                if !hasFailed { logger.error("The store maintenance failed: \(error)") }
                hasFailed = true
            } else {
                hasFailed = false
                await maintained()
            }
            if !isDamaged, let damage = store.damage {
                isDamaged = true
                logger.critical(
                    "What needs the damaged part of the store fails: \(damage)",
                    metadata: damage.hint.map { ["hint": "\($0)"] })
            }
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

/// Packs the newest events beside the intake.
struct Packing: Service {
    let store: EventStore
    let logger: Logger

    func run() async throws {
        for await _ in store.blocksReady.cancelOnGracefulShutdown() {
            // Nothing is lost: the intake packs them with the batch that makes them enough, and tells what is wrong.
            do { try await store.packNewest() } catch { logger.debug("The newest events were not packed: \(error)") }
        }
    }
}
