import API
import ArgumentParser
import Model

struct WaitChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until all of a run is done, for scripts and CI.",
        discussion: """
            Waits until every item, order and funnel is done, and ends with 0. It ends with 1, and says why, when --timeout is \
            over, or something has failed that later events do not change: too many events, one that must not be sent, a \
            wrong order.

            The result has to be certain. The exit status is also 1 if glossd has not read what was sent before the command; \
            no event was looked at; entries of the range are missing, or retention removed them; an event of the list, or a \
            name in its predicate, is unknown; the predicate selects times to come; or no event of a source of the settings \
            is stored. Each --allow flag allows one of these. A stopped run is not waited for.

            \(Outcome.help)

            Examples:
              glossctl checklist wait release --timeout 5m
              glossctl checklist wait release --timeout 30s -o junit > checklist.xml
              glossctl checklist wait release -o markdown >> "$GITHUB_STEP_SUMMARY"
            """)

    @OptionGroup var run: RunArgument

    @Option(
        name: .long,
        help: ArgumentHelp("The longest time to wait: 30s, 5m (default: 60s).", valueName: "time span"))
    var timeout: String?

    @Option(
        name: .letter("o"),
        help: ArgumentHelp(
            """
            text, json (checklist and scope, which are documents of the API, and what is wrong: missing, failed and gate), \
            junit, markdown or github (annotations of a workflow).
            """))
    var output = ChecklistFormats.text

    @OptionGroup(title: "Gate") var gate: ChecklistGateOptions
    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let limit = if let timeout { try TimeOption.duration("--timeout", timeout) } else { Duration.seconds(60) }
        let client = try connection.client(console)
        var wait = ChecklistWait(client: client, run: run.name, deadline: .now + limit)
        let behind = gate.allowBehind ? nil : try await wait.untilRead(on: console, within: limit)
        wait.hasAnswered = !gate.allowBehind
        let (reply, document) = try await wait.untilDone(on: console)
        let (scope, scopeDocument) = reply.isHeld ? (nil, nil) : try await wait.scope(on: console)
        let gate = ChecklistGate(options: gate, zone: text.style(console).zone)
        let report = ChecklistReport(reply, scope: scope, reasons: gate.reasons(reply, scope, behind: behind))
        try console.answer {
            try output.print(
                report, document: report.json(document, scope: scopeDocument), text.style(console), on: console)
        }
        let reasons = report.failures(isListed: output == .text) + report.reasons.map(\.text)
        for reason in reasons.dropLast() { console.complain(reason) }
        if let last = reasons.last { throw ControlError.no(last) }
    }
}

/// Waits for a run.
struct ChecklistWait {
    let client: ControlClient
    let run: String
    let deadline: ContinuousClock.Instant
    /// Whether the daemon has answered before, so that it may be waited for.
    var hasAnswered = false

    /// Waits until the daemon has stored all that was sent before.
    /// - Returns: why it has not, when the time is over.
    func untilRead(on console: Console, within limit: Duration) async throws -> String? {
        try await JournalWait(client: client, limit: limit, hasAnswered: hasAnswered).unread(on: console)
    }

    /// Waits until all is done, something has failed for good, or the time is over.
    /// - Returns: what the run has come to then.
    func untilDone(on console: Console) async throws -> (ChecklistReply, document: [UInt8]) {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                do { try await Task.sleep(until: deadline, clock: .continuous) } catch {}
                return true
            }
            group.addTask {
                try await followChanges(on: console)
                return true
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
        if Task.isCancelled { throw ControlError.interrupted }
        return try await untilCounted(on: console)
    }

    /// Follows the run until all is done, or something has failed for good. Once the daemon has answered, it may be restarted.
    private func followChanges(on console: Console) async throws {
        var (hasAnswered, attempts) = (self.hasAnswered, 0)
        while true {
            do {
                return try await client.checklistChanges(run, timeout: timeout) { reply in
                    (hasAnswered, attempts) = (true, 0)
                    guard reply.state == .running, reply.result != .done else { return false }
                    guard reply.result == .failed else { return true }
                    // An event that was sent earlier may be in another journal file, and arrive later.
                    _ = try await untilRead(on: console, within: .seconds(5))
                    return try await client.document(ChecklistReply.self, APIPath.checklist(run)).result != .failed
                }
            } catch ControlError.silent where .now >= deadline {
                return
            } catch let error as ControlError where error.mayPass && hasAnswered {
                try await pause(&attempts, after: error, on: console)
            }
        }
    }

    /// Pauses before it is asked again, no longer than until the time is over.
    private func pause(_ attempts: inout Int, after error: ControlError, on console: Console) async throws {
        attempts += 1
        if attempts == Self.quietAttempts { console.complain("waiting: \(error.firstLine)") }
        let delay = EventStream.backoff.ceiling(afterFailures: attempts)
        try await Task.pause(for: min(delay, max(EventStream.backoff.base, deadline - .now)))
    }

    /// A restart takes about a second, in which there are fewer attempts.
    private static let quietAttempts = 5

    /// How many seconds the daemon may take to answer.
    private var timeout: Int { ControlClient.timeout(within: deadline - .now) }
    /// The same, at least, of what has to be known when the time is over.
    private static let leastTimeout = 5

    /// Waits until all stored events are counted, or the time is over.
    /// - Returns: what the run has come to then.
    /// - Throws: as `patiently(_:on:_:)`
    func untilCounted(on console: Console) async throws -> (ChecklistReply, document: [UInt8]) {
        while true {
            let document = try await patiently("what the run has come to", on: console) {
                try await client.document(APIPath.checklist(run), timeout: max(timeout, Self.leastTimeout))
            }
            let reply = try ControlClient.decode(ChecklistReply.self, document)
            // A run that began long ago may have stored events to go through. One that cannot count stays behind.
            guard reply.behind > 0, reply.reason == nil, ContinuousClock.now < deadline else {
                return (reply, document)
            }
            try await Task.pause(for: .milliseconds(100))
        }
    }

    /// Requests what the run has looked at.
    /// - Throws: as `patiently(_:on:_:)`
    func scope(on console: Console) async throws -> (scope: ChecklistScope, document: [UInt8]) {
        try await patiently("what the run has looked at", on: console) { try await client.checklistScope(run) }
    }

    /// Asks again while the daemon does not answer, until the time is over.
    /// - Parameter what: what is asked for, for the message if it is not known.
    /// - Throws: `ControlError.no` if it is silent then; otherwise why it cannot be reached.
    private func patiently<Value>(
        _ what: String, on console: Console, _ ask: () async throws -> Value
    ) async throws -> Value {
        var attempts = 0
        while true {
            do { return try await ask() } catch let error as ControlError where error.mayPass {
                guard ContinuousClock.now < deadline else {
                    guard case .silent = error else { throw error }
                    throw ControlError.no("glossd does not answer: \(what) is not known")
                }
                try await pause(&attempts, after: error, on: console)
            }
        }
    }
}
