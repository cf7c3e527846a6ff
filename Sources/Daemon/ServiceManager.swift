import CSystemd
import Logging
import Model
import ServiceLifecycle
import Store

/// Notifies the service manager (systemd). Without one, every call does nothing.
/// - Source: sd_notify(3), sd_watchdog_enabled(3)
struct ServiceManager: Sendable {
    enum State: Sendable {
        /// The daemon has started, or has finished a reload.
        case ready
        case reloading
        case stopping
    }

    func notify(_ state: State, status: String) {
        let message =
            switch state {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1"
            case .stopping: "STOPPING=1"
            }
        send(message, status: status)
    }

    /// Reports that starting takes longer.
    /// - Parameter time: the longest time until the next call, or until the daemon is ready.
    func notify(waiting time: Duration, status: String) {
        send("EXTEND_TIMEOUT_USEC=\(Int64(time / .microseconds(1)))", status: status)
    }

    func notify(status: String) {
        send(nil, status: status)
    }

    /// - Parameter status: its line breaks would begin other assignments.
    private func send(_ assignment: String?, status: String) {
        sd_notify(0, "\(assignment.map { "\($0)\n" } ?? "")STATUS=\(status.oneLine)")
    }

    func feedWatchdog() {
        sd_notify(0, "WATCHDOG=1")
    }

    /// The interval in which the service manager expects a sign of life; `nil` when it expects none.
    let watchdogInterval: Duration? = {
        var microseconds: UInt64 = 0
        return sd_watchdog_enabled(0, &microseconds) > 0 ? .microseconds(Int64(clamping: microseconds)) : nil
    }()
}

/// Reports the status line and signs of life to the service manager. The daemon is alive while the intake does steps; a timer
/// alone would prove nothing. An intake that hangs is to be killed and restarted, which loses nothing.
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
            manager.notify(status: snapshot.sentence(entriesPerSecond: progress.entriesPerSecond()))
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: min(patience / 4, .seconds(5))) }
        }
        // The last of the services is stopped first.
        manager.notify(.stopping, status: "Stopping")
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
