import Model
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Control

@Suite struct PagerTests {
    @Test(
        arguments: [
            ([:], nil), (["TERM": "xterm"], ["less"]), (["TERM": "dumb"], nil), (["TERM": ""], nil),
            (["TERM": "xterm", "PAGER": "more -s  x"], ["more", "-s", "x"]), (["TERM": "xterm", "PAGER": ""], nil),
            (["TERM": "xterm", "PAGER": " "], nil), (["TERM": "xterm", "PAGER": "cat"], nil),
            (["TERM": "xterm", "PAGER": "more", "GLOSS_PAGER": "most"], ["most"]),
            (["TERM": "xterm", "PAGER": "more", "GLOSS_PAGER": ""], nil),
            (["TERM": "xterm", "PAGER": "more", "GLOSS_PAGER": "cat"], nil),
        ] as [([String: String], [String]?)])
    func `the environment says which pager`(environment: [String: String], words: [String]?) {
        #expect(Pager(environment)?.words == words)
    }

    @Test func `less gets its options from GLOSS_LESS, and never a shell`() {
        let usual = Pager(["TERM": "xterm", "LESS": "-E"])
        #expect(usual?.environment == ["LESS": "FRXMK", "LESSCHARSET": "utf-8", "LESSSECURE": "1"])
        let own = Pager(["TERM": "xterm", "GLOSS_LESS": "FRX", "LESSCHARSET": "latin1", "LESSSECURE": "0"])
        #expect(own?.environment == ["LESS": "FRX", "LESSCHARSET": "latin1", "LESSSECURE": "1"])
    }

    /// What a pager got, and what stood on the terminal beside it.
    private struct Shown {
        var status: Outcome
        var paged: [String]
        var terminal: String
        /// What happened in which order: `start`, `end`, `errors`.
        var steps: [String]
        var errors: String
    }

    /// Runs glossctl on a terminal whose pager is a closure's.
    private func show(
        _ arguments: [String], width: Int? = 80, isInstalled: Bool = true, leavesAfter limit: Int = .max,
        lines: [[UInt8]]? = nil
    ) async throws -> Shown {
        let lines = try lines ?? Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { (try? Fixture.answer($0, lines)) ?? .problem(500, "no answer to \($0.target)") }
        defer { daemon.stop() }
        let shown = Mutex(Shown(status: .done, paged: [], terminal: "", steps: [], errors: ""))
        var console = Console(
            environment: ["GLOSS_SOCKET": daemon.socket, "TERM": "xterm"],
            output: ByteSink { bytes in shown.withLock { $0.terminal += String(decoding: bytes, as: UTF8.self) } },
            errors: ByteSink { bytes in
                shown.withLock {
                    $0.steps.append("errors")
                    $0.errors += String(decoding: bytes, as: UTF8.self)
                }
            },
            terminalWidth: { width },
            startPager: { pager in
                guard isInstalled else { return nil }
                shown.withLock { $0.steps.append("start") }
                return RunningPager(
                    output: ByteSink { bytes in
                        try shown.withLock {
                            guard $0.paged.count < limit else { throw ByteSink.Closed() }
                            $0.paged.append(String(decoding: bytes, as: UTF8.self))
                        }
                    }, end: { shown.withLock { $0.steps.append("end") } },
                    wasQuitEarly: { shown.withLock { $0.paged.count } == limit }, failure: { nil })
            }, now: { Run.now })
        console.zone = .utc
        let status = await Glossctl.run(arguments, on: console)
        return shown.withLock {
            $0.status = status
            return $0
        }
    }

    @Test(arguments: [
        "show", "show -o json", "show -o cat", "event 10", "definitions", "search save", "report",
        "definitions show recipe_detail/tap_save_button", "definitions versions", "alerts history", "status",
    ])
    func `long output goes through the pager, and is what the terminal would get`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let paged = try await show(words)
        let plain = try await show(words + ["--no-pager"])
        #expect(paged.steps == (plain.errors.isEmpty ? ["start", "end"] : ["start", "end", "errors"]))
        #expect(paged.terminal.isEmpty && plain.paged.isEmpty)
        #expect(paged.status == plain.status && paged.errors == plain.errors)
        // Links are written out, since not every pager passes on what makes them.
        if !plain.terminal.contains("\u{1B}]8") { #expect(paged.paged.joined() == plain.terminal) }
        #expect(!paged.paged.joined().contains("\u{1B}]"))
        #expect(!paged.paged.joined().isEmpty)
        // Colours stay; nothing else that a terminal acts on is there.
        let text = paged.paged.joined().replacing(/\u{1B}\[[0-9;]*m/, with: "")
        #expect(
            text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x9B || $0 == "\n" })
        if command == "show" { #expect(paged.paged.joined().contains("\u{1B}[33m")) }
    }

    @Test func `what never ends, goes elsewhere or is short has no pager`() async throws {
        for (words, width) in [
            ("tail --no-reconnect", 80), ("show -f --no-reconnect", 80), ("show", nil),
            ("reload", 80), ("show --help", 80),
        ] as [(String, Int?)] {
            let shown = try await show(words.split(separator: " ").map(String.init), width: width)
            #expect(!shown.steps.contains("start"), "\(words)")
        }
        // Nothing to show: the error stands on the terminal.
        for words in [["event", "99"], ["show"], ["show", "-o", "ndjson"]] {
            let none = try await show(words, lines: words[0] == "show" ? [] : nil)
            #expect(none.steps == ["errors"], "\(words): \(none.steps)")
            #expect(none.status == .no && !none.errors.isEmpty, "\(words): \(none.errors)")
        }
    }

    @Test func `a pager that is not installed is no error`() async throws {
        let shown = try await show(["show", "-o", "cat"], isInstalled: false)
        let plain = try await show(["show", "-o", "cat", "--no-pager"])
        #expect(shown.terminal == plain.terminal)
        #expect(shown.status == .done)
    }

    @Test func `errors wait for the end of the pager, and the exit status is glossctl's own`() async throws {
        let shown = try await show(["event", "10", "99"])
        #expect(shown.steps == ["start", "end", "errors"])
        #expect(shown.status == .no)
        #expect(shown.errors.hasPrefix("glossctl: event 99: "))
    }

    @Test func `a pager that is left is no error, and no open gate`() async throws {
        let left = try await show(["show", "-n", "all"], leavesAfter: 0)
        #expect(left.status == .done && left.errors.isEmpty)
        let gate = try await show(["report", "violations", "--fail-on", "violations", "--allow-gaps"], leavesAfter: 0)
        #expect(gate.status == .no)
        #expect(gate.errors.contains("violations"))
    }
}

private let script = Tool("/usr/bin/script", package: "bsdutils")

/// The built program on a real terminal, a pseudo-terminal that script(1) makes, with real pagers.
@Suite(.timeLimit(.minutes(2)), .enabled(if: script.reasonToSkip == nil, "\(script.reasonToSkip ?? "")"))
struct PagerProcessTests {

    /// Runs it by a shell with job control.
    /// - Returns: what the terminal shows, with the exit status in its last line.
    private func run(_ command: String, _ environment: String, lines: [[UInt8]]) async throws -> String {
        let daemon = try FakeDaemon { (try? Fixture.answer($0, lines)) ?? .problem(500, "") }
        defer { daemon.stop() }
        let words =
            """
            set -m; stty rows 24 cols 80; NO_COLOR= TERM=xterm \(environment) \(try BuiltGlossctl.path) --socket \(daemon.socket) \
            \(command); echo "status $?"
            """
        let process = Process()
        process.executableURL = URL(filePath: script.path)
        process.arguments = ["-qec", words, "/dev/null"]
        // script takes this shell. Not every other one has jobs where nobody types.
        process.environment = ProcessInfo.processInfo.environment.merging(["SHELL": "/bin/sh"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { read in
            Thread.detachNewThread {
                read.resume(
                    with: Result {
                        try process.run()
                        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
                    })
            }
        }
    }

    @Test func `the pager reads all, has its environment and signals, and its status counts for nothing`() async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let pager = folder.path("pager")
        try Data(
            """
            #!/bin/sh
            env > \(folder.path("environment"))
            grep Sig /proc/self/status > \(folder.path("signals"))
            echo "arguments $*"
            wc -l
            exit 7
            """.utf8
        ).write(to: URL(filePath: pager))
        chmod(pager, 0o755)
        let event = try Fixture.lines("events.ndjson")[0]
        let lines = Array(repeating: event, count: 20_000)
        let shown = try await run("show -n all -o cat", "GLOSS_PAGER='\(pager) -a b'", lines: lines)
        #expect(shown == "arguments -a b\n20000\nstatus 0\n")
        let environment = try String(contentsOfFile: folder.path("environment"), encoding: .utf8)
        for variable in ["LESS=FRXMK", "LESSSECURE=1", "TERM=xterm"] { #expect(environment.contains(variable + "\n")) }
        // Neither SIGINT (2), SIGPIPE (13), SIGTERM (15) nor SIGTSTP (20) is blocked or ignored.
        let signals = try String(contentsOfFile: folder.path("signals"), encoding: .utf8)
        for name in ["SigBlk", "SigIgn"] {
            let line = try #require(signals.split(separator: "\n").first { $0.hasPrefix(name) })
            let mask = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
            for number in [2, 13, 15, 20] { #expect(mask & (1 << (number - 1)) == 0, "\(line)") }
        }
    }

    /// - Parameter stops: what the pager does before it reads.
    private func stopping(_ stops: String, _ command: String) async throws -> String {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let pager = folder.path("pager")
        try Data("#!/bin/sh\n\(stops)\nwc -l\n".utf8).write(to: URL(filePath: pager))
        chmod(pager, 0o755)
        return try await run(command, "GLOSS_PAGER=\(pager)", lines: [try Fixture.lines("events.ndjson")[0]])
    }

    @Test func `Ctrl-Z stops nothing if the pager ignores it, as less does`() async throws {
        #expect(try await stopping("trap '' TSTP; kill -TSTP 0", "show -o cat") == "1\nstatus 0\n")
    }

    @Test func `glossctl is stopped when its pager is, and both go on`() async throws {
        let shown = try await stopping("kill -STOP $$", "show -o cat; echo \"stopped $?\"; fg")
        // 128 and the number of SIGSTOP.
        #expect(shown.contains("stopped 147\n") && shown.hasSuffix("\n1\nstatus 0\n"), "\(shown)")
    }

    @Test func `less shows one screen as it is, with colours, and ends`() async throws {
        let lines = Array(try Fixture.lines("events.ndjson").prefix(2))
        let shown = try await run("show", "GLOSS_PAGER=less", lines: lines)
        #expect(shown.contains("recipe_detail/tap_save_button"))
        #expect(shown.contains("\u{1B}[1m"))
        #expect(shown.hasSuffix("status 0\n"))
    }

    @Test func `a pager that leaves early ends a command without a word`() async throws {
        let event = try Fixture.lines("events.ndjson")[0]
        let shown = try await run(
            "show -n all -o cat", "GLOSS_PAGER='head -n 1'", lines: Array(repeating: event, count: 50_000))
        #expect(shown.split(separator: "\n").count == 2)
        #expect(shown.hasSuffix("status 0\n"))
    }

    @Test func `a pager that is left while the daemon is still asked ends the command`() async throws {
        let event = try Fixture.lines("events.ndjson")[0]
        let daemon = try FakeDaemon { _ in .endless([event]) }
        defer { daemon.stop() }
        let process = Process()
        process.executableURL = URL(filePath: script.path)
        process.arguments = [
            "-qec",
            "TERM=xterm GLOSS_PAGER='head -n 1' \(try BuiltGlossctl.path) --socket \(daemon.socket) show -o cat",
            "/dev/null",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        #expect(process.terminationStatus == 0)
    }

    @Test(arguments: [("false", 1), ("ls |", 2)], [1, 50_000])
    func `a pager that fails before it reads anything is named`(pager: (String, Int), count: Int) async throws {
        let event = try Fixture.lines("events.ndjson")[0]
        let shown = try await run(
            "show -n all -o cat", "GLOSS_PAGER='\(pager.0)'", lines: Array(repeating: event, count: count))
        let error = "glossctl: the pager \(pager.0) ended with status \(pager.1) before it read anything\n"
        #expect(shown.contains(error) && shown.hasSuffix("status 0\n"), "\(shown)")
    }

    @Test func `a pager that fails after it has read is none of glossctl's business`() async throws {
        let event = try Fixture.lines("events.ndjson")[0]
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let pager = folder.path("pager")
        try Data("#!/bin/sh\nhead -c 1 >/dev/null\nexit 2\n".utf8).write(to: URL(filePath: pager))
        chmod(pager, 0o755)
        let lines = Array(repeating: event, count: 50_000)
        #expect(try await run("show -n all -o cat", "GLOSS_PAGER=\(pager)", lines: lines) == "status 0\n")
    }

    @Test func `a pager that is not there is passed over`() async throws {
        let lines = Array(try Fixture.lines("events.ndjson").prefix(1))
        let shown = try await run("show -o cat", "GLOSS_PAGER=/nowhere/pager", lines: lines)
        #expect(shown.hasPrefix("{\"event_category\""))
        #expect(shown.hasSuffix("status 0\n"))
    }
}
