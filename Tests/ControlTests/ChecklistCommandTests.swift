import API
import ArgumentParser
import Foundation
import Model
import Predicates
import Synchronization
import TestSupport
import Testing

@testable import Control

struct ChecklistCommandTests {
    private static func sample(_ id: Int64, after seconds: UInt64) -> ChecklistReply.Sample {
        .init(id: id, time: WireTime(microseconds: Sample.start + seconds * 1_000_000))
    }

    private static func item(
        _ event: String, _ result: ChecklistReply.Result, _ count: Int64, min: Int = 1, max: Int? = nil,
        name: String? = nil, violating: Int64 = 0, isDefined: Bool = true
    ) -> ChecklistReply.Item {
        .init(
            name: name ?? event, event: event, predicate: nil, min: min, max: max, isDefined: isDefined,
            result: result, count: count, violating: violating, first: count > 0 ? sample(7, after: 2) : nil,
            last: count > 0 ? sample(4711, after: 65) : nil)
    }

    private static func reply(_ change: (inout ChecklistReply) -> Void = { _ in }) -> ChecklistReply {
        let time = WireTime(microseconds: Sample.start)
        var reply = ChecklistReply(
            name: "release-ios", list: "release", description: nil, state: .running, reason: nil, result: .failed,
            startedAt: time, since: time, stoppedAt: nil, predicate: "app_version >= 25.4", violating: "warn",
            position: 4712, behind: 0, done: 4, total: 9,
            items: [
                item("recipe/show", .done, 1234),
                item("recipe/tap", .done, 2, name: "保存ボタン", violating: 1),
                item("recipe/done", .missing, 0), item("recipe/share", .missing, 1, min: 3),
                item("recipe/open", .failed, 4, max: 3),
                item("debug/crash", .done, 0, min: 0, max: 0, isDefined: false),
            ],
            orders: [
                .init(steps: ["recipe/show", "保存ボタン"], withinSeconds: nil, result: .done, problem: nil),
                .init(
                    steps: ["recipe/open", "recipe/done"], withinSeconds: 5, result: .failed,
                    problem: .sentence("recipe/done was sent before recipe/open")),
            ],
            funnels: [
                .init(
                    name: "登録", by: "user", withinSeconds: 600, min: 5, result: .missing,
                    steps: [
                        .init(name: "登録表示", reached: 12), .init(name: "タップ", reached: 10),
                        .init(name: "完了", reached: 3),
                    ], isCut: false)
            ])
        change(&reply)
        return reply
    }

    private static func done(_ reply: inout ChecklistReply) {
        reply.result = .done
        reply.items = [item("recipe/show", .done, 3)]
        (reply.orders, reply.funnels, reply.done, reply.total) = ([], [], 1, 1)
    }

    private static let scope = ChecklistScope(
        scope: ReportScope(events: ["resolved": 118, "undefined": 2]), beginsInFuture: false, idleSources: [],
        programs: [
            .init(identifier: "shop", version: "25.4", events: 100), .init(identifier: nil, version: nil, events: 20),
        ], morePrograms: 1)

    private func run(
        _ arguments: [String], _ reply: ChecklistReply, scope: ChecklistScope = scope, width: Int? = nil,
        until: UInt64 = UInt64.max / 2
    ) async throws -> (Run, requests: [FakeDaemon.Request]) {
        let body = Array(try APICoding.encode(reply))
        let line = Array(try ChecklistLine.line(reply).dropLast())
        let scopeBody = Array(try APICoding.encode(scope))
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.journal.completeUntil = WireTime(microseconds: until)
        // That changes nothing of what was counted, so nothing waits for it.
        status.reprocessing = .init(done: 1, total: 2)
        let statusBody = Array(try APICoding.encode(status))
        let daemon = try FakeDaemon { request in
            if request.target == APIPath.status { return .document(statusBody) }
            if request.target.hasSuffix("/changes") { return .endless([line]) }
            return .document(request.target.hasSuffix("/scope") ? scopeBody : body)
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(
            ["--socket", daemon.socket, "checklist"] + arguments, width: width,
            environment: ["NO_COLOR": "1", "GLOSS_PAGER": ""])
        return (run, daemon.requests)
    }

    @Test func `a run is drawn with what is done and what is missing`() async throws {
        let (run, requests) = try await run(["show", "release-ios", "--utc"], Self.reply())
        #expect(run.status == .done && run.errors.isEmpty)
        #expect(requests.map(\.target) == ["/v1/checklists/release-ios"])
        try expectSnapshot(run.output, "checklist-pipe")
        try expectSnapshot(
            try await self.run(["show", "release-ios", "--utc"], Self.reply(), width: 80).0.output, "checklist-80")
        let held = Self.reply {
            ($0.state, $0.reason) = (.held, "no definition has a parameter with the role user")
            ($0.behind, $0.stoppedAt) = (7, WireTime(microseconds: Sample.start + 86_400_000_000))
        }
        try expectSnapshot(try await self.run(["show", "x", "--utc"], held).0.output, "checklist-held")
    }

    @Test func `a funnel says in each format that it does not count all users`() async throws {
        let reply = Self.reply { $0.funnels[0].isCut = true }
        for format in ["text", "junit", "markdown", "github"] {
            let output = try await run(["show", "x", "-o", format], reply).0.output
            #expect(output.contains(", not all users are counted"), "\(output)")
        }
        let missing = Self.reply { reply in
            Self.done(&reply)
            (reply.result, reply.funnels) = (.missing, Self.reply { $0.funnels[0].isCut = true }.funnels)
        }
        let run = try await run(["wait", "x", "--timeout", "200ms", "-o", "json"], missing).0
        #expect(run.errors == "glossctl: missing: 登録 (3 of 5 at 完了, not all users are counted)\n")
    }

    @Test func `a run is shown also if it is not known what it has looked at`() async throws {
        let body = Array(try APICoding.encode(Self.reply()))
        let known = try await run(["show", "x", "-o", "github"], Self.reply(), scope: Self.scope).0
        let (run, _) = try await ask("checklist", "show", "x", "-o", "github") {
            $0.target.hasSuffix("/scope") ? .problem(503, "the store is busy") : .document(body)
        }
        #expect(run.status == .done)
        #expect(run.errors == "glossctl: what the run has looked at is not known: the store is busy\n")
        #expect(known.output.contains("4 of 9 done. Looked at 120 events"))
        let lines = known.output.split(separator: "\n")
        #expect(run.output.split(separator: "\n").dropLast() == lines.dropLast())
        #expect(run.output.hasSuffix("4 of 9 done\n"), "\(run.output)")
        let held = Self.reply { ($0.state, $0.reason) = (.held, "why") }
        let (shown, requests) = try await self.run(["show", "x", "-o", "github"], held)
        #expect(shown.status == .done && shown.errors.isEmpty && requests.map(\.target) == ["/v1/checklists/x"])
    }

    @Test func `an event that is not defined is answered with the closest one that is`() async throws {
        let reply = Self.reply { reply in
            Self.done(&reply)
            reply.items.append(Self.item("checkout/opne", .missing, 0, isDefined: false))
            reply.items[1].closest = "checkout/open"
        }
        #expect(
            try await run(["show", "x"], reply).0.output.contains(
                "\n\ncheckout/opne is not defined; the closest is checkout/open\n"))
        #expect(
            try await run(["wait", "x", "--timeout", "200ms"], reply).0.errors.contains(
                "unknown: checkout/opne: no dictionary defines this event; the closest is checkout/open; --allow-unknown"
            ))
    }

    @Test func `without a name, the run that goes on is shown`() async throws {
        let body = Array(try APICoding.encode(Self.reply()))
        func show(_ states: (String, ChecklistReply.State)...) async throws -> (Run, [String]) {
            let list = ChecklistList(
                checklists: states.map { name, state in .init(Self.reply { ($0.name, $0.state) = (name, state) }) })
            let runs = Array(try APICoding.encode(list))
            let (run, requests) = try await ask("checklist", "show", "-o", "json") {
                .document($0.target == APIPath.checklists ? runs : body)
            }
            return (run, requests.map(\.target))
        }
        for runs in [[("a", ChecklistReply.State.stopped), ("b", .running)], [("b", .stopped)]] {
            let (run, targets) = runs.count == 1 ? try await show(runs[0]) : try await show(runs[0], runs[1])
            #expect(run.status == .done && targets == [APIPath.checklists, APIPath.checklist("b")])
        }
        let (two, _) = try await show(("a", .held), ("b", .running))
        #expect(two.status == .wrongUsage && two.errors == "glossctl: name a run: a, b\n")
        #expect(try await show().0.errors.hasPrefix("No checklist was started."))
    }

    @Test func `why an order has failed is below its name if both do not fit`() async throws {
        let steps = ["checkout/open", "checkout/pay", "checkout/paid"]
        let long = (0..<9).map { "checkout/step\($0)" }
        let reply = Self.reply { reply in
            reply.orders = [
                .init(
                    steps: steps, withinSeconds: nil, result: .failed,
                    problem: .sentence("checkout/paid was sent before checkout/pay, which is what the order forbids")),
                .init(steps: long, withinSeconds: nil, result: .missing, problem: nil),
            ]
        }
        let output = try await run(["show", "x"], reply, width: 80).0.output
        #expect(
            output.contains(
                """

                Order
                ✗  checkout/open → checkout/pay → checkout/paid
                      checkout/paid was sent before checkout/pay, which is what the order
                      forbids
                ·  \(long.joined(separator: " → "))
                      not complete

                """), "\(output)")
    }

    @Test(arguments: ["junit", "markdown", "github"])
    func `a run is written for others`(format: String) async throws {
        let (run, _) = try await run(["show", "release-ios", "-o", format], Self.reply())
        #expect(run.status == .done)
        try expectSnapshot(run.output, "checklist-\(format)")
    }

    @Test func `what would end a tag or an annotation is escaped`() async throws {
        let reply = Self.reply { reply in
            reply.items[2].name = "<a href=\"x\">&'\u{1}\n::error::50%"
        }
        let junit = try await run(["show", "x", "-o", "junit"], reply).0.output
        #expect(junit.contains("name=\"&lt;a href=&quot;x&quot;&gt;&amp;'\\u0001\\n::error::50%\""))
        let github = try await run(["show", "x", "-o", "github"], reply).0.output
        #expect(github.split(separator: "\n").allSatisfy { $0.hasPrefix("::") })
        #expect(github.contains("50%25"))
    }

    @Test func `waiting ends well when all is done, and certain`() async throws {
        let (run, requests) = try await run(["wait", "release-ios", "--utc"], Self.reply(Self.done))
        #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output.contains("]  1 of 1 done\n"))
        #expect(run.output.contains("Looked at 120 events: 118 resolved, 2 undefined; of shop 25.4 (100)"))
        #expect(
            requests.map(\.target) == [
                "/v1/status", "/v1/checklists/release-ios/changes", "/v1/checklists/release-ios",
                "/v1/checklists/release-ios/scope",
            ])
    }

    @Test func `waiting says what is missing when the time is over`() async throws {
        let reply = Self.reply { reply in
            reply.result = .missing
            reply.items = Array(reply.items[0...3])
            (reply.orders, reply.funnels) = ([], [])
        }
        let (run, _) = try await run(["wait", "release-ios", "--timeout", "200ms", "-o", "github"], reply)
        #expect(run.status == .no)
        #expect(run.errors == "glossctl: missing: recipe/done, recipe/share (1 of 3)\n")
        #expect(run.output.contains("::error title=checklist release-ios::recipe/share: 1 of 3"))
    }

    @Test func `JSON has all of it, for scripts`() async throws {
        let gaps = Self.changed { $0.scope.gaps = [.init(cause: "deleted", records: 1, missing: 3)] }
        // Names are those of the run, whatever they have in them.
        let reply = Self.reply { $0.items[2].name = "recipe/done\u{200B}" }
        let (run, _) = try await run(["wait", "x", "-o", "json", "--timeout", "200ms"], reply, scope: gaps)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect((json["checklist"] as? [String: Any])?["name"] as? String == "release-ios")
        #expect(((json["scope"] as? [String: Any])?["programs"] as? [Any])?.count == 2)
        let wrong = try #require(json["wrong"] as? [String: Any])
        #expect(wrong["missing"] as? [String] == ["recipe/done\u{200B}", "recipe/share", "登録"])
        #expect((wrong["gate"] as? [[String: String]])?.map { $0["name"] } == ["unknown", "gaps"])
    }

    @Test func `what has failed for good is not waited for`() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let (run, _) = try await run(["wait", "release-ios", "--timeout", "1h"], Self.reply())
        #expect(run.status == .no && clock.now - start < .seconds(60))
        #expect(run.errors.hasPrefix("glossctl: failed: recipe/open, recipe/open → recipe/done within 5 s\n"))
    }

    /// What the daemon says of itself when it has read all of the journal.
    private static func upToDate() throws -> [UInt8] {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.journal.completeUntil = WireTime(microseconds: UInt64.max / 2)
        return Array(try APICoding.encode(status))
    }

    @Test(arguments: [[], ["--allow-behind"]])
    func `waiting goes on when the daemon is restarted, or has no place for a while`(flags: [String]) async throws {
        let status = try Self.upToDate()
        let done = Array(try APICoding.encode(Self.reply(Self.done)))
        let scope = Array(try APICoding.encode(Self.scope))
        let missing = Self.reply { reply in
            reply.result = .missing
            reply.items = [Self.item("recipe/done", .missing, 0)]
        }
        let lines = try [missing, Self.reply(Self.done)].map { Array(try ChecklistLine.line($0).dropLast()) }
        let busy = FakeDaemon.Reply.problem(503, "there are too many tails")
        // The first request is not refused: what is wrong from the beginning stays so.
        let first = flags.isEmpty ? [] : [FakeDaemon.Reply.lines([lines[0]], breaksOff: true)]
        let changes = Mutex((first + [busy, .endless([lines[1]])])[...])
        let scopes = Mutex([busy, .document(scope)][...])
        let daemon = try FakeDaemon { request in
            if request.target == APIPath.status { return .document(status) }
            if request.target.hasSuffix("/changes") { return changes.withLock { $0.popFirst() } ?? .problem(500, "") }
            if request.target.hasSuffix("/scope") { return scopes.withLock { $0.popFirst() } ?? .problem(500, "") }
            return .document(done)
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(
            ["--socket", daemon.socket, "checklist", "wait", "x", "--timeout", "30s"] + flags)
        #expect(run.status == .done && run.errors.isEmpty, "\(run.errors)")
    }

    @Test func `why the daemon does not say what a run comes to is said, and is the result in the end`() async throws {
        let line = Array(try ChecklistLine.line(Self.reply { $0.result = .missing }).dropLast())
        let asked = Mutex(0)
        let (run, _) = try await ask("checklist", "wait", "x", "--allow-behind", "--timeout", "3s") { request in
            guard request.target.hasSuffix("/changes") else { return .problem(503, "the store is busy") }
            asked.withLock { $0 += 1 }
            return asked.withLock { $0 } == 1 ? .lines([line], breaksOff: true) : .problem(503, "too many tails")
        }
        #expect(run.errors == "glossctl: waiting: too many tails\nglossctl: the store is busy\n")
        #expect(run.status == .no)
    }

    @Test func `a daemon that does not say what a run has looked at is asked ever less often`() async throws {
        let (status, done) = (try Self.upToDate(), Array(try APICoding.encode(Self.reply(Self.done))))
        let line = Array(try ChecklistLine.line(Self.reply(Self.done)).dropLast())
        let (run, requests) = try await ask("checklist", "wait", "x", "--timeout", "3s") { request in
            if request.target == APIPath.status { return .document(status) }
            if request.target.hasSuffix("/changes") { return .endless([line]) }
            return request.target.hasSuffix("/scope") ? .problem(503, "the store is busy") : .document(done)
        }
        #expect(run.status == .no)
        #expect(run.errors == "glossctl: waiting: the store is busy\nglossctl: the store is busy\n")
        #expect(requests.count { $0.target.hasSuffix("/scope") } < 10)
    }

    private static let uncertain: [(name: String, flag: String, ChecklistScope)] = [
        ("empty", "--allow-empty", changed { $0.scope.events = [:] }),
        ("gaps", "--allow-gaps", changed { $0.scope.gaps = [.init(cause: "deleted", records: 1, missing: 3)] }),
        (
            "gaps", "--allow-gaps",
            changed { $0.scope.storedSince = WireTime(microseconds: Sample.start + 1) }
        ),
        (
            "unknown", "--allow-unknown",
            changed { $0.scope.unknown = [.init(parameter: "subsystem", value: "com.exmaple")] }
        ),
        ("future", "--allow-future", changed { $0.beginsInFuture = true }),
        ("idle", "--allow-idle", changed { $0.idleSources = ["subsystem: com.example.*"] }),
    ]

    private static func changed(_ change: (inout ChecklistScope) -> Void) -> ChecklistScope {
        var scope = scope
        change(&scope)
        return scope
    }

    private static let flags = [
        "--allow-behind", "--allow-empty", "--allow-gaps", "--allow-unknown", "--allow-future", "--allow-idle",
    ]

    @Test(arguments: uncertain)
    func `what is not certain fails by its name, and passes by its own flag only`(
        name: String, flag: String, scope: ChecklistScope
    ) async throws {
        let reply = Self.reply(Self.done)
        let failed = try await run(["wait", "x", "-o", "junit"], reply, scope: scope).0
        #expect(failed.status == .no && failed.errors.hasPrefix("glossctl: \(name): "), "\(failed.errors)")
        #expect(failed.errors.hasSuffix("; \(flag) allows that\n"))
        #expect(failed.output.contains("name=\"gate \(name)\"><error type=\"\(name)\""))
        let others = Self.flags.filter { $0 != flag }
        #expect(try await run(["wait", "x"] + others, reply, scope: scope).0.status == .no)
        #expect(try await run(["wait", "x", flag], reply, scope: scope).0.status == .done)
    }

    @Test func `a daemon that is behind, and an event that is not defined, are not certain`() async throws {
        let reply = Self.reply(Self.done)
        let behind = try await run(["wait", "x", "--timeout", "200ms"], reply, until: 1).0
        #expect(
            behind.status == .no && behind.errors.hasPrefix("glossctl: behind: not yet, after "), "\(behind.errors)")
        #expect(try await run(["wait", "x", "--allow-behind"], reply, until: 1).0.status == .done)
        let unknown = Self.reply { reply in
            Self.done(&reply)
            reply.items.append(Self.item("debug/carsh", .done, 0, min: 0, max: 0, isDefined: false))
        }
        let run = try await run(["wait", "x"], unknown).0
        #expect(
            run.errors
                == "glossctl: unknown: debug/carsh: no dictionary defines this event; --allow-unknown allows that\n")
        #expect(try await self.run(["wait", "x", "--allow-unknown"], unknown).0.status == .done)
        let pattern = Self.reply { reply in
            Self.done(&reply)
            reply.items.append(Self.item("debug/*", .done, 0, min: 0, max: 0, isDefined: false))
        }
        let hint = "an item is one event, and * no pattern: glossctl checklist new --category"
        #expect(
            try await self.run(["wait", "x"], pattern).0.errors.contains(
                "debug/*: no dictionary defines this event; \(hint)"))
        #expect(try await self.run(["show", "x"], pattern).0.output.contains("\n\n\(hint)"))
        #expect(try await !self.run(["show", "x"], unknown).0.output.contains("pattern"))
        for state in [ChecklistReply.State.held, .stopped] {
            let held = Self.reply { reply in
                Self.done(&reply)
                (reply.state, reply.reason, reply.behind) = (state, "why", 1)
            }
            let run = try await self.run(["wait", "x"] + Self.flags, held).0
            #expect(run.status == .no && run.errors == "glossctl: held: nothing is counted: why\n")
        }
    }

    @Test func `a list is started with its file, its filter and its time`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "release.md").path
            try "- [ ] a/b".write(toFile: file, atomically: true, encoding: .utf8)
            let (run, requests) = try await run(
                [
                    "start", file, "level >= error", "--as", "ios", "--user", "42", "--device", "a b", "--since",
                    "2026-11-20 10:00",
                ], Self.reply())
            #expect(run.status == .done, "\(run.errors)")
            let target = requests[0].target
            #expect(requests[0].method == "POST" && target.hasPrefix("/v1/checklists?name=ios&format=markdown&file="))
            #expect(target.hasSuffix("&since=1795168800000000&predicate=level%20%3E%3D%20error&user=42&device=a%20b"))
        }
        let missing = await Run.glossctl("checklist", "start", "nowhere")
        #expect(missing.status == .wrongUsage && missing.errors.contains("checklists/nowhere.yaml"))
    }

    @Test func `a list that is too long is refused, not cut`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "long.yaml").path
            try Data(repeating: 0x23, count: 16 << 20 + 1).write(to: URL(filePath: file))
            let (run, requests) = try await run(["start", file], Self.reply())
            #expect(run.status == .wrongUsage && requests.isEmpty)
            #expect(run.errors.contains("long.yaml is longer than 16 MiB"), "\(run.errors)")
        }
    }

    @Test(arguments: [
        ["start", "-", "--as", "a/b"], ["start", "-", "--as", ""], ["record", "a/b"], ["record", "a\u{9B}"],
        ["new", "", "--events", "a/b"], ["new", "a\nb", "--category", "a"],
    ])
    func `a name that cannot be is wrong usage`(arguments: [String]) async throws {
        let (run, requests) = try await run(arguments, Self.reply())
        #expect(run.status == .wrongUsage && run.output.isEmpty && requests.isEmpty)
        #expect(run.errors.contains(": the name "), "\(run.errors)")
    }

    @Test func `an empty list is wrong usage`() async throws {
        let (run, requests) = try await run(["start", "-"], Self.reply())
        #expect(run.status == .wrongUsage && requests.isEmpty)
        #expect(run.errors == "glossctl: standard input is empty: write a list to it\n")
    }

    @Test func `runs are listed`() async throws {
        let list = ChecklistList(checklists: [.init(Self.reply()), .init(Self.reply { $0.name = "b" })])
        let body = Array(try APICoding.encode(list))
        let (run, _) = try await ask("checklist", "--utc") { _ in .document(body) }
        try expectSnapshot(run.output, "checklists-pipe")
        let none = Array(try APICoding.encode(ChecklistList(checklists: [])))
        let (empty, _) = try await ask("checklist") { _ in .document(none) }
        #expect(empty.status == .no && empty.errors.hasPrefix("No checklist was started."))
    }

    @Test(arguments: [
        (["reset", "a b"], "POST", "/v1/checklists/a%20b/reset"),
        (["remove", "x"], "DELETE", "/v1/checklists/x"), (["export", "x"], "GET", "/v1/checklists/x"),
    ])
    func `runs are changed`(arguments: [String], method: String, target: String) async throws {
        let (run, requests) = try await run(arguments, Self.reply { $0.text = "items: [a/b]" })
        #expect(run.status == .done && requests == [.init(method: method, target: target)])
        if arguments[0] == "export" { #expect(run.output == "items: [a/b]\n") }
    }

    @Test func `an exported list is the one that was started, except on a terminal`() async throws {
        let list = "items:\n  - {event: a/b, predicate: message contains \"x\ty\u{200B}z\"}\n"
        #expect(try await run(["export", "x"], Self.reply { $0.text = list }).0.output == list)
        let shown = try await run(["export", "x"], Self.reply { $0.text = list }, width: 80).0.output
        #expect(shown == SafeText.neutralised(list, keepingLines: true) && shown != list)
    }

    @Test func `a run is stopped, and shown when all that was sent before is read`() async throws {
        let (run, requests) = try await run(["stop", "x", "--utc"], Self.reply(Self.done))
        #expect(run.status == .done && run.output.contains("]  1 of 1 done\n"))
        #expect(
            requests == [
                .init(method: "POST", target: "/v1/checklists/x/stop"), .init(method: "GET", target: "/v1/status"),
                .init(method: "GET", target: "/v1/checklists/x"),
            ])
    }

    @Test func `a run that was stopped is shown though glossd is restarted then`() async throws {
        let (status, stopped) = (try Self.upToDate(), Array(try APICoding.encode(Self.reply(Self.done))))
        let asked = Mutex(0)
        let (run, _) = try await ask("checklist", "stop", "x") { request in
            guard request.target == APIPath.status else { return .document(stopped) }
            asked.withLock { $0 += 1 }
            return asked.withLock { $0 } == 1 ? .problem(503, "stopping") : .document(status)
        }
        #expect(run.status == .done && run.output.contains("]  1 of 1 done\n"), "\(run.errors)")
        #expect(asked.withLock { $0 } == 2)
    }

    @Test func `a stopped run that has not counted all is not certain`() async throws {
        let reply = Self.reply { reply in
            Self.done(&reply)
            (reply.state, reply.behind) = (.stopped, 3)
        }
        let run = try await run(["wait", "x", "--timeout", "200ms"], reply).0
        #expect(
            run.status == .no
                && run.errors == "glossctl: behind: 3 stored events not counted yet; --allow-behind allows that\n")
        #expect(try await self.run(["wait", "x", "--timeout", "200ms", "--allow-behind"], reply).0.status == .done)
    }

    @Test func `lists are written that can be read`() {
        for format in ChecklistFormat.allCases {
            var list = ChecklistWriter(name: "release: 1", format: format)
            list.add(EventKey(category: "recipe", name: "show"), "表示\nmore")
            list.add(EventKey(category: "recipe", name: "show"), nil)
            list.add(EventKey(category: "a b", name: "\"#"), nil)
            #expect(
                list.text
                    == (format == .yaml
                        ? "checklist: \"release: 1\"\nitems:\n  # 表示\n  - recipe/show\n  - \"a b/\\\"#\"\n"
                        : "# release: 1\n\n## Events\n- [ ] `recipe/show`\n  表示\n- [ ] `a b/\"#`\n"))
        }
    }

    @Test func `what a list cannot have is escaped, or left out with a message`() {
        var list = ChecklistWriter(name: "a", format: .yaml)
        for text in ["a/\u{9B}\u{202E}", "a/\u{FFFE}\u{FFFF}\u{1B}", "a/b`c"] {
            EventKey(path: text).map { list.add($0, nil) }
        }
        #expect(
            list.text == #"""
                checklist: a
                items:
                  - "a/\u009b\u202e"
                  - "a/\ufffe\uffff\u001b"
                  - "a/b`c"

                """# && list.omissions.isEmpty)
        list = ChecklistWriter(name: "a", format: .markdown)
        for text in ["a/\u{9B}", "a/b`c", "`/`` ", " a/b "] { EventKey(path: text).map { list.add($0, "## Order\n") } }
        #expect(
            list.text == "# a\n\n## Events\n- [ ] ``a/b`c``\n  \\#\\# Order\n- [ ] ``` `/``  ```\n  \\#\\# Order\n"
                + "- [ ] `  a/b  `\n  \\#\\# Order\n")
        #expect(list.omissions == [#"a/\u009b is left out: Markdown cannot have its characters; --format yaml can"#])
        list = ChecklistWriter(name: "a", format: .yaml)
        for number in 0...1000 { list.add(EventKey(category: "a", name: "\(number)"), nil) }
        #expect(list.omissions == ["a/1000 is left out: a list has at most 1,000 items"])
    }

    @Test func `a list of defined events has what is said of them`() async throws {
        let (run, _) = try await ask("checklist", "new", "x", "--category", "recipe_detail", "--events", "a/b") {
            try Fixture.answer($0, [])
        }
        #expect(run.status == .done && run.errors == "glossctl: a/b: no dictionary defines this event\n")
        #expect(
            run.output.hasPrefix("checklist: x\nitems:\n") && run.output.contains("  - recipe_detail/tap_save_button\n")
        )
        #expect(run.output.hasSuffix("  - a/b\n"))
        let (none, _) = try await ask("checklist", "new", "x", "--category", "recipe_detial") {
            try Fixture.answer($0, [])
        }
        #expect(none.status == .no)
        #expect(
            none.errors
                == "glossctl: no dictionary defines events of the category recipe_detial; did you mean recipe_detail?\n"
        )
        let obsolete = String(decoding: try Fixture.bytes("definitions.json"), as: UTF8.self)
            .replacing(/"obsolete": *false/, with: "\"obsolete\":true")
        let (old, _) = try await ask("checklist", "new", "x", "--category", "recipe_detail") { request in
            request.target.hasPrefix("/v1/dictionaries/shop/definitions")
                ? .document(Array(obsolete.utf8)) : try Fixture.answer(request, [])
        }
        #expect(old.status == .no && old.errors == "glossctl: all events of the category recipe_detail are obsolete\n")
    }

    @Test func `what a session sent becomes a list, in its order`() async throws {
        func row(_ event: String?, _ resolution: String, at seconds: UInt64) -> StatsRow {
            let time = WireTime(microseconds: Sample.start + seconds * 1_000_000)
            return StatsRow(
                values: [.init(key: "event", value: event), .init(key: "resolution", value: resolution)], count: 1,
                firstSeen: time, lastSeen: time)
        }
        let reply = StatsReply(
            by: ["event", "resolution"], events: 5, groups: 5,
            rows: [
                row("a/second", "resolved", at: 5), row("a/first", "resolved", at: 1), row(nil, "plain", at: 0),
                row("a/second", "violating", at: 2), row("a/third", "undefined", at: 9),
            ])
        let body = Array(try APICoding.encode(reply))
        let (run, requests) = try await ask("checklist", "record", "x", "--last", "5m", "user == 1") { _ in
            .document(body)
        }
        #expect(
            run.output == """
                checklist: x
                items:
                  - a/first
                  # some violate their definition
                  - a/second
                  # not defined
                  - a/third

                """)
        #expect(requests.count == 1 && requests[0].target.contains("&by=event&by=resolution&"))
    }

    /// The answer for a session in which one event was sent, once.
    private static func statsOfSession() throws -> [UInt8] {
        let time = WireTime(microseconds: Sample.start)
        let row = StatsRow(
            values: [.init(key: "event", value: "a/b"), .init(key: "resolution", value: "resolved")], count: 1,
            firstSeen: time, lastSeen: time)
        return Array(try APICoding.encode(StatsReply(by: ["event", "resolution"], events: 1, groups: 1, rows: [row])))
    }

    @Test func `a session that Ctrl-C ends becomes a list as well`() async throws {
        let stats = try Self.statsOfSession()
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.journal.completeUntil = WireTime(microseconds: UInt64.max / 2)
        // A session is not lost because that takes long.
        status.reprocessing = .init(done: 1, total: 2)
        let statusBody = Array(try APICoding.encode(status))
        let daemon = try FakeDaemon { .document($0.target == APIPath.status ? statusBody : stats) }
        defer { daemon.stop() }
        let end = DispatchSemaphore(value: 0)
        defer { end.signal() }
        let output = await Run.collecting { console in
            var console = console
            // Nobody presses Enter.
            console.input = {
                end.wait()
                return []
            }
            console.runInterruptible = { part in
                let task = Task { try await part() }
                task.cancel()
                try await task.value
            }
            let arguments = ["--socket", daemon.socket, "checklist", "record", "x"]
            #expect(await Glossctl.run(arguments, on: console) == .done)
        }
        #expect(output == "checklist: x\nitems:\n  - a/b\n")
        let question = try #require(daemon.requests.last?.target)
        // What was sent just before may get into the journal a little later.
        #expect(
            question.contains("since=\(Run.now)") && question.contains("until=\(Run.now + 300_000)"), "\(question)")
    }

    @Test func `a session is not lost because a journal file cannot be read`() async throws {
        let stats = try Self.statsOfSession()
        let daemon = try FakeDaemon { _ in .document(stats) }
        defer { daemon.stop() }
        let command = try RecordChecklistCommand.parse(["x"])
        var query = StatsQuery()
        query.filter[.since] = ["\(Sample.start)"]
        query.filter[.until] = ["\(Sample.start + 1_500_000)"]
        let output = await Run.collecting { console in
            let error = await #expect(throws: ControlError.self) {
                let client = ControlClient(socket: daemon.socket)
                try await command.print(query, unread: "x.journal is not read", from: client, on: console)
            }
            #expect(error?.status == .no)
            #expect(error?.description == "events of the session may be missing: x.journal is not read")
        }
        #expect(output == "checklist: x\nitems:\n  - a/b\n")
    }

    @Test func `a session is not lost because glossd is restarted at its end, or ends for good`() async throws {
        let stats = try Self.statsOfSession()
        let status = try Self.upToDate()
        for isBack in [true, false] {
            let asked = Mutex(0)
            let (run, _) = try await ask("checklist", "record", "x") { request in
                guard request.target == APIPath.status else {
                    return isBack ? .document(stats) : .problem(500, "damaged")
                }
                asked.withLock { $0 += 1 }
                return asked.withLock { $0 } == 2 ? .problem(503, "stopping") : .document(status)
            }
            #expect(run.status == (isBack ? .done : .no) && asked.withLock { $0 } == 3)
            #expect(run.output == (isBack ? "checklist: x\nitems:\n  - a/b\n" : ""))
            let range = "--since 2026-11-20T15:00:10.000000+00:00 --until 2026-11-20T15:00:10.300000+00:00"
            #expect(run.errors.contains("\nRecorded. Later, \(range) takes the same events.\n"), "\(run.errors)")
        }
    }
}
