import ServiceLifecycle
import UnixSignals

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
