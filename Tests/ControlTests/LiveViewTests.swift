import API
import Foundation
import Model
import Synchronization
import Testing

@testable import Control

@Suite(.timeLimit(.minutes(1))) struct LiveViewTests {
    private func console(width: Int?, height: Int? = nil, _ output: @escaping @Sendable (String) -> Void) -> Console {
        Console(
            environment: [:], output: ByteSink { output(String(decoding: $0, as: UTF8.self)) },
            errors: ByteSink { _ in }, terminalWidth: { width }, terminalHeight: { height }, now: { Run.now })
    }

    @Test func `a drawing replaces the last one, as far as the terminal shows it`() throws {
        let output = Mutex("")
        var screen = LiveScreen(console(width: 80, height: 5) { text in output.withLock { $0 += text } })
        try screen.draw("a\nb\n")
        #expect(output.withLock { $0 } == "\r\u{1B}[?7l\u{1B}[Ka\n\u{1B}[Kb\n\u{1B}[?7h\u{1B}[J")
        output.withLock { $0 = "" }
        try screen.draw("1\n2\n3\n4\n5\n6\n")
        #expect(
            output.withLock { $0 }
                == "\u{1B}[2A\r\u{1B}[?7l\u{1B}[K1\n\u{1B}[K2\n\u{1B}[K3\n\u{1B}[K…\n\u{1B}[?7h\u{1B}[J")
        output.withLock { $0 = "" }
        try screen.draw("c\n")
        #expect(output.withLock { $0 } == "\u{1B}[4A\r\u{1B}[?7l\u{1B}[Kc\n\u{1B}[?7h\u{1B}[J")
    }

    /// Draws texts one after the other, each on a terminal of its own size.
    /// - Returns: how many rows each drawing goes up.
    private func rowsUp(_ steps: [(text: String, width: Int, height: Int, continuations: Int)]) throws -> [Int] {
        let output = Mutex("")
        let step = Mutex(steps[0])
        var console = console(width: nil) { text in output.withLock { $0 = text } }
        console.terminalWidth = { step.withLock { $0.width } }
        console.terminalHeight = { step.withLock { $0.height } }
        console.continuations = { step.withLock { $0.continuations } }
        var screen = LiveScreen(console)
        return try steps.map { next in
            step.withLock { $0 = next }
            try screen.draw(next.text)
            return output.withLock { $0.firstMatch(of: /^\u{1B}\[(\d+)A/).flatMap { Int($0.1) } } ?? 0
        }
    }

    @Test func `a drawing replaces the rows that the last one takes by now`() throws {
        let wide = "\u{1B}[1m\(String(repeating: "x", count: 100))\u{1B}[0m\n\(String(repeating: "日", count: 31))\n\n"
        #expect(
            try rowsUp([(wide, 100, 30, 0), (wide, 60, 30, 0), (wide, 60, 30, 0), (wide, 120, 30, 0)]) == [0, 5, 3, 3])
    }

    @Test func `what a small terminal could not show is replaced when it is larger again`() throws {
        let wide = String(repeating: String(repeating: "x", count: 100) + "\n", count: 8)
        // 24 rows on the small one, of which 15 are above its top: five lines when it is wide again, and eight that are new.
        #expect(
            try rowsUp([(wide, 100, 30, 0), (wide, 40, 10, 0), (wide, 40, 10, 0), (wide, 100, 30, 0)]) == [0, 9, 8, 13])
    }

    @Test func `after the process was stopped, a drawing begins below what the shell wrote`() throws {
        #expect(
            try rowsUp([("a\nb\n", 80, 24, 0), ("a\nb\n", 80, 24, 1), ("a\nb\n", 80, 24, 1)]) == [0, 0, 2])
    }

    @Test func `what is wrong stands above the last drawing, and is shown where only its beginning is`() throws {
        let output = Mutex("")
        let clock = Mutex(Run.now)
        var console = console(width: 30, height: 6) { text in output.withLock { $0 = text } }
        console.now = { clock.withLock { $0 } }
        var screen = LiveScreen(console)
        let busy = ControlError.refused(Problem(status: 503, title: "the daemon is busy with something"))
        #expect(throws: ControlError.self) { try screen.drawAgain(after: busy) }
        try screen.draw("1\n2\n3\n4\n5\n6\n7\n")
        clock.withLock { $0 += 90_000_000 }
        try screen.drawAgain(after: busy)
        let lines = output.withLock { $0 }.split(separator: "\n").compactMap { $0.split(separator: "\u{1B}[K").last }
        #expect(
            lines.prefix(5) == ["the daemon is busy with", "something", "The last answer, 1 min 30 s", "ago:", "…"])
        #expect(throws: ControlError.self) { try screen.drawAgain(after: .otherShape) }
    }

    @Test(arguments: [
        ("abcdef", "abcdef"), ("abcdefg", "abcde…"), ("日本語", "日本語"), ("日本語x", "日本…"), ("a日本語", "a日本…"), ("", ""),
        ("\u{1B}[31mabcdefg\u{1B}[0m", "\u{1B}[31mabcde…\u{1B}[0m"),
        ("\u{1B}[31mabcdef\u{1B}[0m", "\u{1B}[31mabcdef\u{1B}[0m"),
        (
            "\u{1B}]8;;https://example.com\u{1B}\\abcdefgh\u{1B}]8;;\u{1B}\\",
            "\u{1B}]8;;https://example.com\u{1B}\\abcde…\u{1B}]8;;\u{1B}\\"
        ),
    ]) func `a line that is too wide is cut, and says so`(_ line: String, _ shown: String) {
        #expect(LiveScreen.fitting(line[...], 6) == shown)
    }

    @Test func `in a pipe, drawings follow each other`() throws {
        let output = Mutex("")
        var screen = LiveScreen(console(width: nil) { text in output.withLock { $0 += text } })
        for text in ["a\n", "b\n"] { try screen.draw(text) }
        #expect(output.withLock { $0 } == "a\n\nb\n")
    }

    /// Runs a view until it has drawn so often.
    private func drawings(_ count: Int, _ arguments: [String], _ daemon: FakeDaemon) async -> (Outcome, String) {
        let output = Mutex("")
        let task = Mutex<Task<Outcome, Never>?>(nil)
        let drawn = Mutex(0)
        let console = console(width: nil) { text in
            output.withLock { $0 += text }
            let isEnough = drawn.withLock { drawn in
                drawn += 1
                return drawn == count
            }
            if isEnough { task.withLock { $0?.cancel() } }
        }
        // However soon it has drawn, it finds the task that it cancels.
        let run = task.withLock { task in
            let run = Task { await Glossctl.run(["--socket", daemon.socket] + arguments, on: console) }
            task = run
            return run
        }
        return (await run.value, output.withLock { $0 })
    }

    @Test func `top asks again and again for the groups of the last minutes`() async throws {
        let status = try Fixture.bytes("status-running.json")
        let row = StatsRow(
            values: [.init(key: "event", value: "shop/buy")], count: 7,
            firstSeen: WireTime(microseconds: Run.now - 9_000_000),
            lastSeen: WireTime(microseconds: Run.now - 1_000_000))
        let stats = Array(try APICoding.encode(StatsReply(by: ["event"], events: 7, groups: 1, rows: [row])))
        let daemon = try FakeDaemon { request in .document(request.target.hasPrefix("/v1/status") ? status : stats) }
        defer { daemon.stop() }
        let (outcome, output) = await drawings(
            3, ["top", "level >= error", "--window", "90s", "--interval", "0.2"], daemon)
        #expect(outcome == .interrupted)
        #expect(output.split(separator: "\n").count { $0.hasPrefix("shop/buy") } == 3, "\(output)")
        #expect(output.contains("last 1 min 30 s, 15:00:10\n"))
        let asked = daemon.requests.map(\.target).filter { $0.hasPrefix("/v1/stats") }
        #expect(
            asked[0]
                == "/v1/stats?since=\(Run.now - 90_000_000)&predicate=level%20%3E%3D%20error&by=event&top=20&zone=local"
        )
    }

    @Test func `status is drawn again, also while the daemon does not answer`() async throws {
        let status = try Fixture.bytes("status-running.json")
        let requests = Mutex(0)
        let daemon = try FakeDaemon { _ in
            let number = requests.withLock { number in
                number += 1
                return number
            }
            return number == 2 ? .problem(503, "busy") : .document(status)
        }
        defer { daemon.stop() }
        let (outcome, output) = await drawings(3, ["status", "--watch", "--interval", "0.2"], daemon)
        #expect(outcome == .interrupted)
        #expect(output.components(separatedBy: "Store\n").count == 4, "\(output)")
        #expect(output.contains("\nbusy\nThe last answer, 0 s ago:\n\nglossd "), "\(output)")
        #expect(await Run.glossctl("--socket", daemon.socket, "status", "--watch", "-o", "json").status == .wrongUsage)
        #expect(await Run.glossctl("--socket", daemon.socket, "top", "--interval", "0").status == .wrongUsage)
        #expect(await Run.glossctl("--socket", daemon.socket, "top", "--last", "5m").status == .wrongUsage)
    }

    @Test func `a run is drawn again when the daemon is back`() async throws {
        let time = WireTime(microseconds: Run.now)
        let reply = ChecklistReply(
            name: "release", list: "release", description: nil, state: .running, reason: nil, result: .done,
            startedAt: time, since: time, stoppedAt: nil, predicate: nil, violating: "warn", position: 1, behind: 0,
            done: 0, total: 0, items: [], orders: [], funnels: [])
        let line = Array(try ChecklistLine.line(reply).dropLast())
        let requests = Mutex(0)
        let daemon = try FakeDaemon { _ in
            let number = requests.withLock { number in
                number += 1
                return number
            }
            return number == 1 ? .lines([line]) : number == 2 ? .problem(503, "busy") : .endless([line])
        }
        defer { daemon.stop() }
        let (outcome, output) = await drawings(4, ["checklist", "show", "release", "--watch"], daemon)
        #expect(outcome == .interrupted)
        #expect(output.components(separatedBy: "release  running").count == 5, "\(output)")
        #expect(output.contains("ended the connection: it stopped, was restarted, or has too many connections\n"))
        #expect(output.contains("\nbusy\n"))
        let gone = try FakeDaemon { _ in .problem(503, "busy") }
        defer { gone.stop() }
        #expect(await Run.glossctl("--socket", gone.socket, "checklist", "show", "x", "--watch").status == .no)
    }
}

struct PredicatesCommandTests {
    private static let list = KeyCatalog(
        keys: [KeyReply(name: "level", description: "How severe it is, `x`")], parameters: ["recipe_id", "名前"],
        users: ["user_id"],
        predicates: [
            PredicateReply(name: "bad", predicate: "level >= err"), PredicateReply(name: "slow", predicate: "took > 1"),
        ])

    @Test func `names of the settings and of the user are listed`() async throws {
        let body = Array(try APICoding.encode(Self.list))
        let daemon = try FakeDaemon { _ in .document(body) }
        defer { daemon.stop() }
        let home = FileManager.default.temporaryDirectory.appending(path: "gloss-home-\(UUID().uuidString)")
        let folder = home.appending(path: ".config/gloss")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        try "# mine\nslow = took >\t 5\n".write(
            to: folder.appending(path: "predicates"), atomically: true, encoding: .utf8)
        let run = await Run.glossctl(["--socket", daemon.socket, "predicates"], environment: ["HOME": home.path])
        #expect(
            run.output == """
                NAME   FROM       PREDICATE
                @slow  your file  took > 5
                @bad   settings   level >= err

                """)
        let keys = await Run.glossctl("--socket", daemon.socket, "predicates", "--keys")
        #expect(
            keys.output == """
                KEY        MEANS
                level      How severe it is, x
                recipe_id  A parameter
                名前       A parameter

                """)
    }

    @Test func `without names, that is said`() async throws {
        let body = Array(try APICoding.encode(KeyCatalog(keys: [], parameters: [], users: [], predicates: [])))
        let daemon = try FakeDaemon { _ in .document(body) }
        defer { daemon.stop() }
        let run = await Run.glossctl("--socket", daemon.socket, "predicates")
        #expect(run.status == .no && run.errors.hasPrefix("No predicate has a name."))
    }
}
