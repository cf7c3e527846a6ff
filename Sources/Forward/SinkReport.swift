package import API
package import Model
import Store

/// Something about a sink or a notifier that is worth a line in the log. It never contains a payload or a credential.
package struct SinkReport: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case delivered, recovered, retrying, held, storeFailed, unreadable
    }

    /// The name of the sink or notifier.
    @Exact package var name: String
    package var kind: Kind
    package var level: Level
    /// One sentence for people.
    @Exact package var message: String
    @Exact package var hint: String?

    static func delivered(_ batch: FrozenBatch) -> SinkReport {
        SinkReport(
            name: batch.sink, kind: .delivered, level: .debug,
            message: "delivered \(batch.eventCount) events in \(batch.body.count) bytes")
    }

    static func unreadable(_ name: String, notice: Int64) -> SinkReport {
        SinkReport(
            name: name, kind: .unreadable, level: .err,
            message: "the notice \(notice) cannot be read, and is not delivered",
            hint: "Somebody has changed the database, or its disk is failing.")
    }

    /// What is sent.
    enum Content: String { case events, notices }

    /// Returns what there is to say of an attempt.
    /// - Parameters:
    ///   - failures: how many there were before it.
    ///   - lastError: the reason of the last one, if nobody may have repaired something since.
    ///   - delay: the time until the next attempt.
    static func after(
        _ result: AttemptResult, of name: String, failures: Int, lastError: String?, delay: Duration,
        _ content: Content = .events
    ) -> SinkReport? {
        switch Verdict(result) {
        case .done:
            failures > 0 ? .recovered(name, failures: failures, of: content) : nil
        case .retry:
            .retrying(name, reason: result.reason, failures: failures + 1, delay: delay, of: content)
        case .hold:
            .held(
                name, reason: result.reason, hint: result.hint, lastError: lastError, probeIn: delay, of: content)
        }
    }

    private static func recovered(_ name: String, failures: Int, of content: Content) -> SinkReport {
        SinkReport(
            name: name, kind: .recovered, level: .notice,
            message: "\(content.rawValue) are accepted again after \(attempts(failures))")
    }

    /// Returns a report with a high level at the first failure and when the upstream begins to count as down, otherwise
    /// with a low one: an outage of a day must not fill the journal.
    private static func retrying(
        _ name: String, reason: String, failures: Int, delay: Duration, of content: Content
    ) -> SinkReport {
        let isNews = failures == 1 || failures == DeliveryState.failuresUntilDown
        return SinkReport(
            name: name, kind: .retrying, level: isNews ? .warning : .debug,
            message: "\(reason); \(attempts(failures)), the next one in \(seconds(delay)); \(content.rawValue) are kept"
        )
    }

    /// Returns a report with a high level if the reason is another than last time, otherwise with a low one.
    static func held(
        _ name: String, reason: String, hint: String?, lastError: String?, probeIn delay: Duration,
        of content: Content = .events
    ) -> SinkReport {
        SinkReport(
            name: name, kind: .held, level: lastError?.isExactly(reason) == true ? .debug : .err,
            message:
                "held: \(reason); \(content.rawValue) are kept, the next probe is in \(seconds(delay)) or after a reload",
            hint: hint)
    }

    static func storeFailed(_ name: String, _ error: StoreError, failures: Int, delay: Duration) -> SinkReport {
        let isNews = failures == 1 || failures == DeliveryState.failuresUntilDown
        return SinkReport(
            name: name, kind: .storeFailed, level: isNews ? .err : .debug,
            message: "the store failed: \(error); the next attempt is in \(seconds(delay))", hint: error.hint)
    }

    private static func attempts(_ failures: Int) -> String {
        failures == 1 ? "1 failed attempt" : "\(failures) failed attempts"
    }

    private static func seconds(_ duration: Duration) -> String {
        let tenths = max(duration, .zero) / .milliseconds(100)
        return "\(Int(tenths / 10)).\(Int(tenths) % 10) s"
    }
}

/// The reason why a sink's settings cannot work.
package struct SinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problem.
    package var description: String
    /// What to write or do instead.
    package var hint: String?

    package init(_ description: String, hint: String? = nil) {
        self.description = description
        self.hint = hint
    }

    /// The problem and the solution in one line.
    package var advice: String { hint.map { "\(description); \($0)" } ?? description }
}

extension SinkActivity {
    /// Creates the report of a sink that cannot run because the store could not open it.
    package init(waiting options: SinkOptions) {
        self.init(
            name: options.name, url: SinkEndpoint.display(options.url), predicate: options.predicate,
            state: options.isEnabled ? .paused : .disabled)
    }
}
