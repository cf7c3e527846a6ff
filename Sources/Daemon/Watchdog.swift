import Logging
import ServiceLifecycle
import Store

/// Tells the service manager how things are: the status line, and that the daemon is alive. It is alive when the intake has
/// done a step lately, not when a timer runs: an intake that hangs is to be killed and started anew, which loses nothing.
struct Watchdog: Service {
    let manager: ServiceManager
    let progress: IntakeProgress
    let logger: Logger

    func run() async throws {
        let patience = manager.watchdogInterval ?? .seconds(60)
        let clock = ContinuousClock()
        var isLate = false
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            let snapshot = progress.snapshot
            let silence = clock.now - snapshot.lastStep
            if silence < patience {
                manager.feedWatchdog()
            } else if !isLate {
                logger.error("The intake has done nothing for \(silence.components.seconds) s.")
            }
            isLate = silence >= patience
            manager.tell(status: snapshot.sentence(entriesPerSecond: progress.entriesPerSecond()))
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: min(patience / 4, .seconds(5))) }
        }
        // It is the last of the services, and so the first to be stopped.
        manager.tell(.stopping, status: "Stopping")
    }
}

extension IntakeProgress.Snapshot {
    /// The state in one line, for `systemctl status`.
    func sentence(entriesPerSecond: Double) -> String {
        if let paused { return "Paused: \(paused.description)" }
        if caughtUpAt == nil {
            return "Catching up: \(entriesRead) entries read, \(Int(entriesPerSecond)) entries/s"
        }
        return "Following the journal: \(entriesRead) entries read since the start"
    }
}
