import Glibc
import Linux
package import Logging
import Model

/// Writes log lines to standard error: for journald with the prefix `<N>` that sets the priority of a line, on a terminal with
/// the name of the level. Each line is one `write`, so that lines of different threads do not mix.
/// - Source: sd-daemon(3)
package struct JournalLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let isTerminal = isatty(STDERR_FILENO) == 1

    package init(level: Logger.Level) {
        logLevel = level
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let line = Self.line("\(event.message)\(details)", event.level, onTerminal: isTerminal)
        // When nobody reads standard error, there is no other place to report that.
        writeAll(Array(line.utf8), to: STDERR_FILENO)
    }

    /// Always one line of this level, whatever the text contains.
    static func line(_ text: String, _ level: Logger.Level, onTerminal isTerminal: Bool) -> String {
        isTerminal ? "\(level): \(text.oneLine)\n" : "<\(priority(level))>\(text.oneLine)\n"
    }

    private static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
