import Logging
import Model
import ServiceLifecycle

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
                if !folders.isEmpty { await reloader.look(at: folders) }
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
