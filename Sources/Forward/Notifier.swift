internal import API
internal import Emit
internal import FoundationEssentials
internal import Linux
package import Model
package import Store

/// Delivers the notices of alerts to one notifier, one after the other, by the retry rules of sinks: a notice is taken
/// from the store, and stays there until it is delivered.
package actor Notifier {
    package nonisolated let name: String
    private let notifier: AlertNotifier
    private let store: EventStore
    /// Wakes it when there are new notices.
    private let noticeFeed: EventFeed
    private let clock: SinkClock
    private let random: @Sendable () -> UInt64
    private let report: @Sendable (SinkReport) -> Void
    /// Returns a notice as it may be sent now: it may have been waiting since before a name became private.
    private let protected: @Sendable (AlertNotice) async -> AlertNotice
    private let userAgent: String
    /// The namespace of the journal that notices are written to.
    private let namespace: String?
    /// How long it waits for journald. It tries again anyway, and its end, which a reload and a stop wait for, waits for this.
    private static let journalPatience = Duration.seconds(1)
    /// Writes to the journal, which may wait for journald.
    private let writing = WorkQueue("gloss.notices")
    /// Counts the calls of `probe`, which end a wait early.
    private let probes = EventFeed()
    private var delivery: DeliveryState
    private var current: (id: Int64, notice: String, key: String)?
    /// Where the last request went, and how. After a probe it is made again, since a file may be another one.
    private var connection: (options: SinkOptions, probe: Int64, upstream: HTTPUpstream)?
    /// The reason of the last failure, and whether it was the store's.
    private var failure: (reason: String, isOfStore: Bool)?
    /// The last probe before the last attempt.
    private var lastProbe: Int64 = 0

    package init(
        _ notifier: AlertNotifier, store: EventStore, noticeFeed: EventFeed, userAgent: String,
        namespace: String? = nil,
        clock: SinkClock = .system, random: @escaping @Sendable () -> UInt64 = Sink.systemRandom,
        protected: @escaping @Sendable (AlertNotice) async -> AlertNotice = { $0 },
        report: @escaping @Sendable (SinkReport) -> Void
    ) {
        name = notifier.name
        (self.notifier, self.store, self.noticeFeed, self.userAgent) = (notifier, store, noticeFeed, userAgent)
        (self.clock, self.random, self.protected, self.report) = (clock, random, protected, report)
        self.namespace = namespace
        delivery = DeliveryState(DeliveryPolicy(notifier.sinkOptions))
    }

    /// What is wrong, and why, for status: `nil` while all is well.
    package var problem: (diagnostic: Diagnostic, reason: String)? {
        guard let failure else { return nil }
        return switch delivery.condition {
        case .ok: nil
        case .retrying: (failure.isOfStore ? .notifierWaiting : .notifierRetrying, failure.reason)
        case .held: (.notifierHeld, failure.reason)
        }
    }

    /// Ends the wait of a notifier that is held or waits: it makes an attempt now, but not before the time in `Retry-After`.
    package func probe() {
        delivery.wake(at: clock.elapsed())
        probes.publish(probes.latest + 1)
    }

    /// Delivers notices until the task is cancelled. What was not delivered stays in the store.
    package func run() async {
        defer { disconnect() }
        while !Task.isCancelled {
            let probe = probes.latest
            switch delivery.next(at: clock.elapsed()) {
            case .perform(let step): await perform(step)
            case .wait(let until): await clock.sleep(until: until, or: [(probes, after: probe)])
            case .rest: return
            }
        }
    }

    private func perform(_ step: DeliveryState.Step) async {
        let seen = noticeFeed.latest
        do throws(StoreError) {
            switch step {
            case .recover: proceed(to: .fill)
            case .fill:
                current = try await store.nextNotice(for: name)
                if current != nil { return proceed(to: .send) }
                proceed(to: .fill)
                await noticeFeed.wait(after: seen)
            case .send:
                // The store may have given it up since the last attempt, and has counted it as such.
                if delivery.failures > 0 { current = try await store.nextNotice(for: name) }
                if current == nil { proceed(to: .fill) } else { await send() }
            case .complete:
                if let current { try await store.completeNotice(current.id, for: name, at: clock.date()) }
                current = nil
                proceed(to: .fill)
            }
        } catch {
            guard !Task.isCancelled else { return }
            delivery.storeFailed(at: clock.elapsed(), random: jitter())
            failure = (reason: error.description, isOfStore: true)
            report(.storeFailed(name, error, failures: delivery.failures, delay: delay))
        }
    }

    /// Records that nothing is wrong, so that the next failure is news.
    private func proceed(to step: DeliveryState.Step) {
        delivery.proceed(to: step)
        failure = nil
    }

    private func send() async {
        guard var current, let stored = try? APICoding.decode(AlertNotice.self, from: Data(current.notice.utf8))
        else {
            // Nobody could read it.
            if let current { report(.unreadable(name, notice: current.id)) }
            delivery.attempted(.done, at: clock.elapsed(), random: jitter())
            return
        }
        let (failures, probe, notice) = (delivery.failures, probes.latest, await protected(stored))
        if notice != stored, let text = try? APICoding.encode(notice) {
            current.notice = String(decoding: text, as: UTF8.self)
        }
        let result = await attempt(notice, current)
        guard !Task.isCancelled else { return }
        let verdict = Verdict(result)
        delivery.attempted(verdict, at: clock.elapsed(), random: jitter())
        let news = SinkReport.after(
            result, of: name, failures: failures, lastError: probe == lastProbe ? failure?.reason : nil, delay: delay,
            .notices)
        if let news { report(news) }
        lastProbe = probe
        failure = verdict == .done ? nil : (reason: result.reason, isOfStore: false)
        // A repair during the attempt came too late for it.
        if probes.latest != probe { delivery.wake(at: clock.elapsed()) }
    }

    private func attempt(_ notice: AlertNotice, _ current: (id: Int64, notice: String, key: String)) async
        -> AttemptResult
    {
        switch notifier.kind {
        case .webhook(let options, let urlFile):
            let text = notifier.template.map { AlertTemplate.text($0, notice, isJSON: true) } ?? current.notice
            return await post(text, options, urlFile, key: current.key)
        case .command(let command, let timeout):
            let text = notifier.template.map { AlertTemplate.text($0, notice, isJSON: false) } ?? current.notice
            return await NoticeCommand(command.map(\.text), timeout: timeout).run(with: text, notice)
        case .journal:
            let text = notifier.template.map { AlertTemplate.text($0, notice, isJSON: false) }
            return await writing.run { [namespace] in Self.write(notice, text, namespace) }
        }
    }

    private func post(_ text: String, _ options: SinkOptions, _ urlFile: String?, key: String) async -> AttemptResult {
        let upstream: HTTPUpstream
        do throws(SinkError) {
            upstream = try connected(Self.addressed(options, urlFile))
        } catch {
            return .notSent(reason: error.advice)
        }
        let result = await upstream.post(Array(text.utf8), key: key)
        // The file may be another one by the next attempt.
        if options.caFile != nil, Verdict(result) != .done { disconnect() }
        return result
    }

    private func connected(_ options: SinkOptions) throws(SinkError) -> HTTPUpstream {
        let probe = probes.latest
        if let connection, connection.options == options, connection.probe == probe { return connection.upstream }
        disconnect()
        let upstream = try HTTPUpstream(options, userAgent: userAgent, contentType: "application/json")
        connection = (options, probe, upstream)
        return upstream
    }

    private func disconnect() {
        connection?.upstream.close()
        connection = nil
    }

    /// The options of a request with its address. One that is in a file is read each time, so that a new one needs no reload.
    /// - Throws: `SinkError` when nothing can be sent. It does not show an address from a file, which is secret.
    private static func addressed(_ options: SinkOptions, _ urlFile: String?) throws(SinkError) -> SinkOptions {
        guard let urlFile else { return options }
        var options = options
        options.isURLSecret = true
        do throws(TokenFile.Failure) {
            options.url = try TokenFile.read(urlFile, as: "address")
        } catch {
            throw SinkError(error.description)
        }
        do throws(SinkError) {
            try Sink.check(options)
        } catch {
            throw SinkError("\(urlFile): \(error.description)", hint: error.hint)
        }
        return options
    }

    /// Checks whether a notifier can work with these settings. An address in a file is not looked at.
    package static func check(_ notifier: AlertNotifier) throws(SinkError) {
        guard case .webhook(var options, let urlFile) = notifier.kind else { return }
        // An address with which all else can be checked.
        if urlFile != nil { options.url = "https://localhost/" }
        try Sink.check(options)
    }

    /// Checks a notifier's address that is in a file, as the file is now.
    package static func checkAddress(_ notifier: AlertNotifier) throws(SinkError) {
        guard case .webhook(let options, let urlFile?) = notifier.kind else { return }
        _ = try addressed(options, urlFile)
    }

    /// - Source: systemd.journal-fields(7)
    private static func write(_ notice: AlertNotice, _ text: String?, _ namespace: String?) -> AttemptResult {
        let level: Level = notice.state == .firing || notice.state == .repeated ? .warning : .notice
        var fields: [(String, String)] = [
            ("MESSAGE", text ?? notice.text), ("MESSAGE_ID", AlertNotice.messageID),
            ("PRIORITY", String(level.rawValue)),
            ("SYSLOG_IDENTIFIER", "glossd"), ("GLOSS_ALERT", notice.alert), ("GLOSS_STATE", notice.state.rawValue),
            ("GLOSS_CAUSE", notice.causeText),
        ]
        if let event = notice.event { fields.append(("GLOSS_EVENT", String(event))) }
        do throws(EmitError) {
            let writer = try JournalWriter(namespace: namespace, patience: journalPatience)
            try writer.send(fields.map { ($0.0, Array($0.1.utf8)) })
            return .answered(status: 200, retryAfter: nil, excerpt: "")
        } catch {
            return .unanswered(reason: error.description)
        }
    }

    private func jitter() -> Double { Sink.jitter(random) }

    private var delay: Duration { delivery.wait(at: clock.elapsed()) }
}

extension AlertNotifier {
    /// The options that say when it is tried again.
    fileprivate var sinkOptions: SinkOptions {
        if case .webhook(let options, _) = kind { return options }
        var options = SinkOptions(name: name, url: "")
        options.backoffCap = .seconds(60)
        return options
    }
}
