import CSystemd
import Model

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
