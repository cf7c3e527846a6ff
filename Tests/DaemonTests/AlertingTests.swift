import API
import Foundation
import Model
import Settings
import Store
import TestSupport
import Testing
import Watches

@testable import Daemon

@Suite(.timeLimit(.minutes(1)))
struct AlertingTests {
    @Test func `a reload keeps what a notifier knows of its failures, unless it changes its settings`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await EventStore(
                StoreOptions(
                    path: folder.appending(path: "events.sqlite").path, maximumBytes: 64 << 20, maximumAge: nil,
                    whenFull: .pause))
            let keeper = AlertKeeper(
                store: store, meanings: StandingPredicates([]) { $0 }, clock: { Sample.start }, completeUntil: { nil },
                report: { _ in })
            let log = LogRecord()
            let alerting = Alerting(store: store, keeper: keeper, namespace: nil, logger: log.logger)
            /// What the log says of failures of a script, as soon as it says so many.
            func failures(_ count: Int, status: Int) async throws -> [String] {
                while true {
                    let lines = log.lines.filter { $0.contains("ended with status \(status)") }
                    if lines.count >= count { return lines }
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            func use(script: ExactString) async throws {
                var settings = try Settings(
                    yaml: "sources: [{subsystem: \"com.example.*\"}]", file: "gloss.yaml", environment: [:])
                settings.notifiers = [
                    AlertNotifier(name: "page", kind: .command(["/bin/sh", "-c", script], timeout: .seconds(5)))
                ]
                await alerting.use(settings)
            }
            let notice = AlertNotice(
                alert: "errors", state: .firing, cause: [], text: "errors", time: Sample.start, since: Sample.start,
                event: 1)
            let text = String(decoding: try APICoding.encode(notice), as: UTF8.self)
            try await store.save(
                [], of: .alert, notices: [NewNotice(alert: "errors", notice: text, notifiers: ["page"])])
            try await use(script: "exit 1")
            #expect(try await failures(1, status: 1)[0].contains("; 1 failed attempt,"))
            try await use(script: "exit 1")
            #expect(try await failures(2, status: 1)[1].contains("; 2 failed attempts,"))
            try await use(script: "exit 2")
            #expect(try await failures(1, status: 2)[0].contains("; 1 failed attempt,"))
            await alerting.use(try Settings(yaml: "", file: "gloss.yaml", environment: [:]))
            await store.close()
        }
    }
}
