/// How severe an entry is: the syslog `PRIORITY`, 0 to 7. A lower raw value is more severe.
package enum Level: UInt8, Sendable, CaseIterable {
    case emerg, alert, crit, err, warning, notice, info, debug

    /// The level of an entry without a `PRIORITY` field: os_log's default.
    package static let `default` = Level.notice

    /// Returns the level with a syslog name or another usual name, with os_log's name (`fault` `error` `default` `info`
    /// `debug`) or with its number.
    /// - Source: syslog(3), which has `LOG_EMERG`; syslog.conf(5), which has `panic` `error` `warn`
    package init?(_ name: some StringProtocol) {
        switch name.lowercased() {
        case "emerg", "emergency", "panic", "0": self = .emerg
        case "alert", "1": self = .alert
        case "crit", "critical", "fault", "2": self = .crit
        case "err", "error", "3": self = .err
        case "warning", "warn", "4": self = .warning
        case "notice", "default", "5": self = .notice
        case "info", "informational", "6": self = .info
        case "debug", "7": self = .debug
        default: return nil
        }
    }

    /// Returns the level that a program means by a text: one of the names above, of another library's levels, their first
    /// letters, or syslog's numbers. Other numbers mean different levels in different libraries: 30 is a warning in Python's
    /// `logging`, and pino's `info`.
    /// - Source: log4j, java.util.logging, .NET, zap, Python, klog, Android
    package init?(ofProgram text: some StringProtocol) {
        if let level = Level(text) {
            self = level
            return
        }
        switch text.lowercased() {
        case "trace", "verbose", "fine", "finer", "finest", "config", "dbg", "t", "v", "d": self = .debug
        case "information", "inf", "i": self = .info
        case "n": self = .notice
        case "wrn", "w": self = .warning
        case "severe", "e": self = .err
        case "fatal", "dpanic", "ftl", "f", "c": self = .crit
        case "a": self = .alert
        default: return nil
        }
    }

    /// The syslog name, which is also what the API and the command line write.
    package var name: String { Self.names[Int(rawValue)] }

    private static let names = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"]
}
