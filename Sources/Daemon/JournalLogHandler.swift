import Glibc
import Linux
package import Logging
import Model
import Synchronization

/// Writes log lines to standard error: for journald with the prefix `<N>` that sets the priority of a line, on a terminal with
/// the name of the level.
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
        LogOutput.standardError.write(line)
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

/// Where log lines go, one after the other.
final class LogOutput: Sendable {
    static let standardError = LogOutput(STDERR_FILENO)

    private let descriptor: Int32
    /// Whether the last line may have no end, because nobody read it.
    private let isCut = Mutex(false)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a line, unless it is not read: then it is lost, as there is no other place to report that, and nothing waits for
    /// the next ones.
    func write(_ line: String) {
        isCut.withLock { isCut in
            let bytes = Array((isCut ? "\n\(line)" : line).utf8)
            isCut = writeAll(bytes, to: descriptor, patience: isCut ? .zero : .seconds(1)) != 0
        }
    }
}
