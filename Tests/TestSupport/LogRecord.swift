package import Logging
import Synchronization

/// A logger that keeps its lines, `level: text` each.
package final class LogRecord: Sendable {
    private let record = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { record.withLock { $0 } }

    package var logger: Logger { Logger(label: "test") { _ in Handler(record: self) } }

    private struct Handler: LogHandler {
        let record: LogRecord
        var logLevel = Logger.Level.debug
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.record.withLock { $0.append("\(event.level): \(event.message)") }
        }
    }
}
