import CSystemd
import Logging
import Model
import ServiceLifecycle
import Store

/// What the daemon tells the service manager (systemd). Without one, every call does nothing.
/// - Source: sd_notify(3), sd_watchdog_enabled(3)
struct ServiceManager: Sendable {
    enum State: Sendable {
        /// Started, or done with reloading.
        case ready
        case reloading
        case stopping
    }

    func tell(_ state: State, status: String) {
        let message =
            switch state {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1"
            case .stopping: "STOPPING=1"
            }
        sd_notify(0, "\(message)\nSTATUS=\(status)")
    }

    /// That starting takes longer.
    /// - Parameter time: until the next such call, or until it is ready.
    func tell(waiting time: Duration, status: String) {
        sd_notify(0, "EXTEND_TIMEOUT_USEC=\(Int64(time / .microseconds(1)))\nSTATUS=\(status.oneLine)")
    }

    func tell(status: String) {
        sd_notify(0, "STATUS=\(status)")
    }

    func feedWatchdog() {
        sd_notify(0, "WATCHDOG=1")
    }

    /// Within which time the service manager wants to be told that the daemon gets on; `nil` when it does not ask.
    let watchdogInterval: Duration? = {
        var microseconds: UInt64 = 0
        return sd_watchdog_enabled(0, &microseconds) > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }()
}

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
