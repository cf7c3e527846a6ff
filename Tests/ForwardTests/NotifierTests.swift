import Foundation
import Model
import NIOHTTP1
import Store
import Synchronization
import TestSupport
import Testing

@testable import Forward

/// Notifiers with a real store, real servers on loopback, and real programs.
@Suite(.timeLimit(.minutes(1))) struct NotifierTests {
    private static let notice = AlertNotice(
        alert: "errors", state: .firing, cause: [.init(key: "event", value: #""a/b""#)],
        text: "errors: 12 events in 5 min (event \"a/b\")", time: 1_795_222_800_000_000, since: 1_795_222_700_000_000,
        event: 7)

    private final class Reports: Sendable {
        private let found = Mutex<[SinkReport]>([])
        var kinds: [SinkReport.Kind] { found.withLock { $0.map(\.kind) } }
        var levels: [Level] { found.withLock { $0.map(\.level) } }
        var messages: [String] { found.withLock { $0.map(\.message) } }
        func add(_ report: SinkReport) { found.withLock { $0.append(report) } }
    }

    /// Gives a notifier one notice, and waits until it is delivered, or has failed so often.
    private func notify(
        _ notifier: AlertNotifier, _ store: EventStore, failures: Int = .max, _ reports: Reports = Reports(),
        namespace: String? = nil, protected: @escaping @Sendable (AlertNotice) async -> AlertNotice = { $0 }
    ) async throws {
        let feed = EventFeed()
        let sender = Notifier(
            notifier, store: store, noticeFeed: feed, userAgent: "gloss/1.0", namespace: namespace, random: { 0 },
            protected: protected, report: { reports.add($0) })
        let running = Task { await sender.run() }
        let text = String(decoding: try JSONEncoder().encode(Self.notice), as: UTF8.self)
        try await store.save(
            [], of: .alert, notices: [NewNotice(alert: "errors", notice: text, notifiers: [notifier.name, "other"])])
        feed.publish(1)
        while reports.kinds.count < failures, try await store.nextNotice(for: notifier.name) != nil {
            try await Task.sleep(for: .milliseconds(5))
        }
        running.cancel()
        await running.value
        #expect(try await store.nextNotice(for: "other") != nil, "others get it by themselves")
    }

    private func withStore(_ body: (EventStore, TemporaryFolder) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let store = try await EventStore.sample(in: folder)
            try await body(store, folder)
            await store.close()
        }
    }

    private func webhook(
        _ url: String, file: String? = nil, template: String? = nil, _ change: (inout SinkOptions) -> Void = { _ in }
    ) -> AlertNotifier {
        var options = SinkOptions(name: "chat", url: url)
        options.compression = .none
        (options.backoffBase, options.backoffCap) = (.milliseconds(1), .milliseconds(2))
        change(&options)
        return AlertNotifier(name: "chat", kind: .webhook(options, urlFile: file), template: template)
    }

    @Test func `a webhook gets the whole as JSON, or a template`() async throws {
        try await withStore { store, _ in
            let server = try await LoopbackServer.start(.status(204))
            try await notify(webhook(server.url), store)
            try await notify(
                webhook(server.url, template: #"{"text": "{{ state }}: {{text}} {{event}}", "since": "{{since}}"}"#),
                store)
            await server.stop()
            let bodies = try server.requests.map {
                try JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any]
            }
            #expect(bodies[0]?["alert"] as? String == "errors" && bodies[0]?["event"] as? Int == 7)
            #expect(bodies[1]?["text"] as? String == "firing: errors: 12 events in 5 min (event \"a/b\") 7")
            #expect((bodies[1]?["since"] as? String)?.hasPrefix("2026-11-2") == true)
            #expect(server.requests.allSatisfy { $0.header("Content-Type") == "application/json" })
            let keys = server.requests.map { $0.header("Idempotency-Key") ?? "" }
            #expect(Set(keys).count == 2 && keys.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil }, "\(keys)")
        }
    }

    @Test func `notices of one time go over one connection`() async throws {
        try await withStore { store, _ in
            let server = try await LoopbackServer.start(.status(204))
            let text = String(decoding: try JSONEncoder().encode(Self.notice), as: UTF8.self)
            let earlier = NewNotice(alert: "errors", notice: text, notifiers: ["chat"])
            try await store.save([], of: .alert, notices: [NewNotice](repeating: earlier, count: 5))
            try await notify(webhook(server.url), store)
            await server.stop()
            // One that waits for long on a slow machine is closed.
            #expect(server.requests.count == 6 && server.connections < 4, "\(server.connections)")
        }
    }

    @Test func `an upstream that is down is tried again, by the rules of sinks`() async throws {
        try await withStore { store, _ in
            let (server, reports) = (try await LoopbackServer.start(.status(503), .close, .status(200)), Reports())
            try await notify(webhook(server.url), store, reports)
            await server.stop()
            #expect(server.requests.count == 3 && Set(server.requests.map(\.body)).count == 1)
            #expect(Set(server.requests.map { $0.header("Idempotency-Key") }).count == 1)
            #expect(reports.kinds == [.retrying, .retrying, .recovered])
            #expect(reports.messages[0].hasSuffix("; notices are kept"))
        }
    }

    @Test func `an address that is refused holds notices`() async throws {
        try await withStore { store, _ in
            let (server, reports) = (try await LoopbackServer.start(.status(404)), Reports())
            try await notify(webhook(server.url), store, failures: 1, reports)
            await server.stop()
            #expect(reports.kinds == [.held])
            #expect(try await store.nextNotice(for: "chat") != nil)
        }
    }

    @Test func `a probe ends a wait, but not before the time in Retry-After`() async throws {
        try await withStore { store, _ in
            let (clock, reports) = (SteppingClock(limit: .zero), Reports())
            let server = try await LoopbackServer.start(
                .status(429, headers: [("Retry-After", "30")]), .status(404), .status(200))
            let text = String(decoding: try JSONEncoder().encode(Self.notice), as: UTF8.self)
            try await store.save(
                [], of: .alert, notices: [NewNotice(alert: "errors", notice: text, notifiers: ["chat"])])
            let notifier = Notifier(
                webhook(server.url), store: store, noticeFeed: EventFeed(), userAgent: "gloss/1.0", clock: clock.clock,
                random: { 0 }, report: { reports.add($0) })
            let running = Task { await notifier.run() }
            func waits(_ count: Int) async {
                while clock.sleeps.load(ordering: .relaxed) < count { await Task.yield() }
            }
            await waits(1)
            await notifier.probe()
            await waits(2)
            #expect(server.requests.count == 1 && reports.kinds == [.retrying])
            clock.allow(until: .seconds(30))
            await waits(3)
            #expect(server.requests.count == 2 && reports.kinds == [.retrying, .held])
            await notifier.probe()
            while try await store.nextNotice(for: "chat") != nil { try await Task.sleep(for: .milliseconds(5)) }
            #expect(clock.now == .seconds(30) && server.requests.count == 3)
            running.cancel()
            await running.value
            await server.stop()
        }
    }

    @Test func `what keeps a notifier from its notices last is its problem`() async throws {
        try await withStore { store, _ in
            let (clock, reports) = (SteppingClock(limit: .zero), Reports())
            let server = try await LoopbackServer.start(.status(503))
            let notifier = Notifier(
                webhook(server.url), store: store, noticeFeed: EventFeed(), userAgent: "gloss/1.0", clock: clock.clock,
                random: { .max }, report: { reports.add($0) })
            let text = String(decoding: try JSONEncoder().encode(Self.notice), as: UTF8.self)
            try await store.save(
                [], of: .alert, notices: [NewNotice(alert: "errors", notice: text, notifiers: ["chat"])])
            let running = Task { await notifier.run() }
            func waits(_ count: Int) async {
                while clock.sleeps.load(ordering: .relaxed) < count { await Task.yield() }
            }
            await waits(1)
            let first = try #require(await notifier.problem)
            #expect(first.diagnostic == .notifierRetrying && first.reason.contains("503"))
            await store.close()
            clock.allow(until: .seconds(1))
            while !reports.kinds.contains(.storeFailed) { await Task.yield() }
            let (diagnostic, reason) = try #require(await notifier.problem)
            #expect(diagnostic == .notifierWaiting && reports.messages.last?.contains(reason) == true)
            running.cancel()
            await running.value
            await server.stop()
        }
    }

    @Test func `a notice that was given up while it was tried is not sent any more`() async throws {
        try await withStore { store, _ in
            let clock = SteppingClock(limit: .zero)
            let server = try await LoopbackServer.start(.status(503), .status(200))
            func notice(_ alert: String, to notifiers: [String]) throws -> NewNotice {
                var notice = Self.notice
                notice.alert = alert
                let text = String(decoding: try JSONEncoder().encode(notice), as: UTF8.self)
                return NewNotice(alert: alert, notice: text, notifiers: notifiers)
            }
            try await store.save([], of: .alert, notices: [notice("first", to: ["chat"])])
            let notifier = Notifier(
                webhook(server.url), store: store, noticeFeed: EventFeed(), userAgent: "gloss/1.0", clock: clock.clock,
                random: { .max }, report: { _ in })
            let running = Task { await notifier.run() }
            while clock.sleeps.load(ordering: .relaxed) == 0 { await Task.yield() }
            let others = [NewNotice](repeating: try notice("other", to: []), count: AlertNotice.mostKept - 1)
            let dropped = try await store.save(
                [], of: .alert, notices: others + [notice("last", to: ["chat"])])
            #expect(dropped == 1)
            clock.allow(until: .seconds(60))
            while try await store.nextNotice(for: "chat") != nil { try await Task.sleep(for: .milliseconds(5)) }
            running.cancel()
            await running.value
            await server.stop()
            let alerts = try server.requests.map {
                try JSONDecoder().decode(AlertNotice.self, from: Data($0.body)).alert
            }
            #expect(alerts == ["first", "last"])
        }
    }

    @Test func `that a notifier is held is said loudly again after a probe, and after a notice that was given up`()
        async throws
    {
        try await withStore { store, _ in
            let (clock, reports, feed) = (SteppingClock(limit: .zero), Reports(), EventFeed())
            let server = try await LoopbackServer.start(.status(404))
            let text = String(decoding: try JSONEncoder().encode(Self.notice), as: UTF8.self)
            let own = NewNotice(alert: "errors", notice: text, notifiers: ["chat"])
            let other = NewNotice(alert: "errors", notice: text, notifiers: [])
            try await store.save([], of: .alert, notices: [own])
            let notifier = Notifier(
                webhook(server.url), store: store, noticeFeed: feed, userAgent: "gloss/1.0", clock: clock.clock,
                random: { 0 }, report: { reports.add($0) })
            let running = Task { await notifier.run() }
            func waits(_ count: Int) async {
                while clock.sleeps.load(ordering: .relaxed) < count { await Task.yield() }
            }
            await waits(1)
            clock.allow(until: .seconds(300))
            await waits(2)
            await notifier.probe()
            await waits(3)
            #expect(reports.levels == [.err, .debug, .err])
            try await store.save([], of: .alert, notices: [NewNotice](repeating: other, count: AlertNotice.mostKept))
            clock.allow(until: .seconds(600))
            while await notifier.problem != nil { await Task.yield() }
            try await store.save([], of: .alert, notices: [own])
            feed.publish(1)
            await waits(4)
            #expect(reports.levels == [.err, .debug, .err, .err])
            running.cancel()
            await running.value
            await server.stop()
        }
    }

    @Test func `a secret address is in a file, and in no message`() async throws {
        try await withStore { store, folder in
            let (server, reports) = (try await LoopbackServer.start(.status(200)), Reports())
            let file = try folder.write("url", server.url + "/SECRET\n")
            try await notify(webhook("", file: file), store)
            #expect(server.requests.first?.head.uri == "/ingest/SECRET")
            await server.stop()
            try await notify(webhook("", file: file), store, failures: 1, reports)
            _ = try folder.write("url", "ftp://SECRET\n")
            let others = Reports()
            try await notify(webhook("", file: file), store, failures: 1, others)
            #expect(others.kinds.first == .held)
            #expect(others.messages[0].contains("\(file): url must begin with http"), "\(others.messages)")
            #expect(!(reports.messages + others.messages).contains { $0.contains("SECRET") })
        }
    }

    @Test(
        arguments: [
            (nil, "the address file"), ("http://a b/SECRET", "holds characters that no address has"), ("", "is empty"),
            ("http://192.0.2.1/SECRET", "url begins with http://, which would show the token"),
            ("https://SECRET:x@192.0.2.1/", "url holds a user name or password"), ("https://192.0.2.1/SECRET", nil),
        ] as [(String?, String?)])
    func `an address in a file is checked before there is a notice, and not shown`(
        address: String?, message: String?
    ) async throws {
        try await withTemporaryFolder { folder in
            if let address { _ = try folder.write("url", address) }
            let notifier = webhook("", file: folder.path("url")) { $0.tokenFile = "/t" }
            try Notifier.check(notifier)
            guard let message else { return try Notifier.checkAddress(notifier) }
            let error = try #require(throws: SinkError.self) { try Notifier.checkAddress(notifier) }
            let text = error.advice
            #expect(text.contains(folder.path("url")) && text.contains(message) && !text.contains("SECRET"), "\(text)")
        }
    }

    @Test func `a webhook's settings are checked as those of a sink`() throws {
        let token: (inout SinkOptions) -> Void = { $0.tokenFile = "/t" }
        let header: (inout SinkOptions) -> Void = { $0.headers = ["Content-Type": "text/plain"] }
        let wrong = [
            webhook("https://"), webhook("http://h:99999/"), webhook("http://a b/"), webhook("http://u:p@192.0.2.1/"),
            webhook("http://192.0.2.1/", token), webhook("https://h/", header), webhook("", file: "/u", header),
        ]
        for notifier in wrong {
            #expect(throws: SinkError.self, "\(notifier)") { try Notifier.check(notifier) }
        }
        try Notifier.check(webhook("http://127.0.0.1/", token))
        try Notifier.check(AlertNotifier(name: "log", kind: .journal))
    }

    @Test func `what an upstream answers does not show a secret address`() async throws {
        try await withStore { store, folder in
            let location = LoopbackServer.Reply.status(
                302, headers: [("Location", "http://127.0.0.1/ingest/SECRETPLACE/x")])
            for reply in [.status(404, body: "Cannot POST /ingest/SECRETPLACE"), location] as [LoopbackServer.Reply] {
                let (server, reports) = (try await LoopbackServer.start(reply), Reports())
                let file = try folder.write("url", server.url + "/SECRETPLACE\n")
                try await notify(webhook("", file: file), store, failures: 1, reports)
                await server.stop()
                #expect(reports.kinds.first == .held)
                #expect(!reports.messages.contains { $0.contains("SECRETPLACE") }, "\(reports.messages)")
            }
            let reports = Reports()
            let file = try folder.write("url", "http://secretplace.invalid/hook\n")
            try await notify(webhook("", file: file), store, failures: 1, reports)
            #expect(!reports.messages.isEmpty && !reports.messages.contains { $0.contains("secretplace") })
        }
    }

    @Test func `a notice that cannot be read is reported, and holds up no other`() async throws {
        try await withStore { store, _ in
            let (server, reports) = (try await LoopbackServer.start(.status(204)), Reports())
            try await store.save(
                [], of: .alert, notices: [NewNotice(alert: "errors", notice: "{", notifiers: ["chat"])])
            try await notify(webhook(server.url), store, reports)
            await server.stop()
            #expect(reports.kinds == [.unreadable] && server.requests.count == 1, "\(reports.messages)")
        }
    }

    @Test func `a notice is sent as it may be now`() async throws {
        try await withStore { store, _ in
            let server = try await LoopbackServer.start(.status(204))
            let isPrivate: @Sendable (AlertNotice) async -> AlertNotice = { $0.replacingValues { _ in "<private>" } }
            try await notify(webhook(server.url), store, protected: isPrivate)
            try await notify(webhook(server.url, template: #"{"cause": "{{cause}}"}"#), store, protected: isPrivate)
            await server.stop()
            let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(
                bodies.count == 2 && bodies.allSatisfy { $0.contains("<private>") && !$0.contains("a/b") }, "\(bodies)")
        }
    }

    @Test func `a notice goes to the journal of the namespace`() async throws {
        try await withStore { store, _ in
            let (reports, journal) = (Reports(), AlertNotifier(name: "log", kind: .journal))
            try await notify(journal, store, failures: 1, reports, namespace: "gloss-test-none")
            let socket = "/run/systemd/journal.gloss-test-none/socket"
            #expect(reports.messages.first?.contains(socket) == true, "\(reports.messages)")
        }
    }

    @Test(.enabled("needs root to make a folder in /run/systemd") { geteuid() == 0 })
    func `a journald that does not read holds up no stop`() async throws {
        let namespace = "gloss-test-\(UUID().uuidString)"
        let folder = "/run/systemd/journal.\(namespace)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = try FullSocket(path: "\(folder)/socket")
        try await withStore { store, _ in
            let (reports, start) = (Reports(), ContinuousClock.now)
            try await notify(
                AlertNotifier(name: "log", kind: .journal), store, failures: 1, reports, namespace: namespace)
            #expect(ContinuousClock.now - start < .seconds(15))
            // There may have been a second attempt meanwhile.
            #expect(!reports.kinds.isEmpty && reports.kinds.allSatisfy { $0 == .retrying }, "\(reports.messages)")
            #expect(try await store.nextNotice(for: "log") != nil)
        }
        withExtendedLifetime(socket) {}
    }

    private func command(
        _ script: String, timeout: Duration = .seconds(10), template: String = "{{text}}!"
    ) -> AlertNotifier {
        AlertNotifier(
            name: "page", kind: .command(["/bin/sh", "-c", ExactString(script)], timeout: timeout),
            template: template)
    }

    @Test func `a program gets the text, and what it is about in its environment`() async throws {
        try await withStore { store, folder in
            let path = folder.path("notices")
            try await notify(
                command(
                    "{ cat /dev/stdin; echo; echo \"$GLOSS_ALERT $GLOSS_STATE $GLOSS_CAUSE\"; env | wc -l; } > \(path)"),
                store
            )
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(lines[0] == "errors: 12 events in 5 min (event \"a/b\")!")
            #expect(lines[1] == "errors firing event \"a/b\"")
            #expect(
                Int(lines[2].trimmingCharacters(in: .whitespaces)) ?? 99 <= 8, "nothing of the daemon's environment")
        }
    }

    @Test(
        arguments: [
            ("exit 3", .seconds(30), "/bin/sh ended with status 3"),
            ("exec sleep 100", .milliseconds(200), "/bin/sh took longer than 0.2 seconds"),
            ("kill -TERM $$", .seconds(30), "was ended by signal 15"),
            ("kill -KILL $$", .seconds(30), "was ended by signal 9"),
            ("sleep 100 & wait", .milliseconds(200), "/bin/sh took longer than 0.2 seconds"),
        ] as [(String, Duration, String)])
    func `a program that fails or hangs is tried again`(
        script: String, timeout: Duration, reason: String
    ) async throws {
        try await withStore { store, _ in
            let reports = Reports()
            try await notify(command(script, timeout: timeout), store, failures: 1, reports)
            #expect(reports.kinds.first == .retrying && reports.messages[0].contains(reason), "\(reports.messages)")
            #expect(try await store.nextNotice(for: "page") != nil)
        }
    }

    @Test func `a program that fails is tried again if this process was started with SIGCHLD ignored`() async throws {
        try await withStore { store, _ in
            let reports = Reports()
            signal(SIGCHLD, SIG_IGN)
            defer { signal(SIGCHLD, SIG_DFL) }
            try await notify(command("exit 3"), store, failures: 1, reports)
            #expect(reports.messages.first?.contains("/bin/sh ended with status 3") == true, "\(reports.messages)")
        }
    }

    @Test func `a notice is delivered when its program ends, whatever that has started`() async throws {
        try await withStore { store, _ in
            let reports = Reports()
            try await notify(command("sleep 30 & exit 0", timeout: .seconds(5)), store, failures: 1, reports)
            #expect(reports.kinds == [], "\(reports.messages)")
            #expect(try await store.nextNotice(for: "page") == nil)
        }
    }

    @Test func `a notice that its program has taken is not sent again, however late that ends`() async throws {
        try await withStore { store, folder in
            let (reports, path) = (Reports(), folder.path("notices"))
            // It leaves its group before the time is over, so that it is not ended then.
            let leave = "setpgrp(0, getpgrp(getppid)); exec @ARGV"
            let script = "exec perl -e '\(leave)' sh -c 'cat >> \(path); sleep 7'"
            try await notify(command(script, timeout: .seconds(5)), store, failures: 1, reports)
            #expect(reports.kinds == [], "\(reports.messages)")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "errors: 12 events in 5 min (event \"a/b\")!")
        }
    }

    @Test func `a text that nobody reads is given up in time`() async throws {
        try await withStore { store, folder in
            let (reports, start, path) = (Reports(), ContinuousClock.now, folder.path("pid"))
            defer {
                if let pid = (try? String(contentsOfFile: path, encoding: .utf8)).flatMap({ pid_t($0.dropLast()) }) {
                    kill(pid, SIGKILL)
                }
            }
            // More than a pipe has room for, and a reader that is in another group. A second attempt has none.
            let reader = "exec 3<&0; setsid sh -c 'echo $$ > \(path); exec sleep 20' <&3 & exit 0"
            let program = command(
                "test -e \(path) && exit 1; \(reader)", timeout: .seconds(3),
                template: String(repeating: "x", count: 70_000))
            try await notify(program, store, failures: 1, reports)
            #expect(ContinuousClock.now - start < .seconds(15))
            #expect(FileManager.default.fileExists(atPath: path), "the reader has begun")
            #expect(reports.kinds.first == .retrying, "\(reports.messages)")
            #expect(try await store.nextNotice(for: "page") != nil)
        }
    }

    @Test func `what a program has left running holds no file open`() async throws {
        // Programs are written to by pipes. Of other files, fewer may be open later: earlier tests do not wait until theirs
        // are closed.
        func pipes() throws -> Int {
            let folder = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
                return file?.hasPrefix("pipe:") == true
            }
        }
        try await withStore { store, _ in
            let program = command("sleep 4 >&1 & exit 0")
            try await notify(program, store)
            let before = try pipes()
            for _ in 1...5 { try await notify(program, store) }
            #expect(try pipes() <= before)
        }
    }

    @Test func `what nobody can read is passed over`() async throws {
        try await withStore { store, folder in
            try await store.save([], of: .alert, notices: [NewNotice(alert: "a", notice: "{}", notifiers: ["page"])])
            try await notify(command("cat >> \(folder.path("notices"))"), store)
            #expect(try String(contentsOfFile: folder.path("notices"), encoding: .utf8).hasSuffix("!"))
        }
    }

    @Test func `a program that is not there holds notices`() async throws {
        try await withStore { store, _ in
            let reports = Reports()
            let notifier = AlertNotifier(name: "page", kind: .command(["/no/such/program"], timeout: .seconds(1)))
            try await notify(notifier, store, failures: 1, reports)
            #expect(reports.kinds == [.held] && reports.messages[0].contains("/no/such/program"))
        }
    }

    @Test func `what removed notifiers did not get is no longer sent, and stays in the history`() async throws {
        try await withStore { store, _ in
            let notices = (0..<5).map { NewNotice(alert: "a", notice: "\($0)", notifiers: ["x", "y"]) }
            try await store.save([], of: .alert, notices: notices)
            try await store.keepNotices(forOnly: ["y"])
            #expect(try await store.nextNotice(for: "x") == nil)
            #expect(try await store.nextNotice(for: "y")?.notice == "0")
            #expect(try await store.notices(limit: 2).map(\.id) == [5, 4])
        }
    }
}
