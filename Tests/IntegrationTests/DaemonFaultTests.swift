import Foundation
import Glibc
import TestSupport
import Testing

/// What can go wrong around the daemon as a whole, and what it says then.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: Requirement.journalFiles == nil, "\(Requirement.journalFiles ?? "")"))
struct DaemonFaultTests {
    /// Two events of a journal that needs no journald.
    private static let journal = """
        __REALTIME_TIMESTAMP=1790000000000000
        __MONOTONIC_TIMESTAMP=1000000
        _BOOT_ID=4d5f7b2c1a9e4c0d8f3b6a7e5d2c1b0a
        _HOSTNAME=web1
        SUBSYSTEM=com.example.shop
        CATEGORY=ActivityLog
        MESSAGE={"event_category":"recipe_detail","event_name":"show","session_id":"s","platform":"ios","recipe_id":18446744073709551616}

        __REALTIME_TIMESTAMP=1790000000001000
        __MONOTONIC_TIMESTAMP=1001000
        _BOOT_ID=4d5f7b2c1a9e4c0d8f3b6a7e5d2c1b0a
        _HOSTNAME=web1
        SUBSYSTEM=com.example.shop
        CATEGORY=ActivityLog
        MESSAGE={"event_category":"recipe_detail","event_name":"show","session_id":"s","platform":"ios","recipe_id":1}

        """

    private func withDaemon(_ body: (GlossInstance) async throws -> Void) async throws {
        try await JournalFixture.withJournal(of: [Self.journal]) { folder in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{directory: \"\(folder.path)\"}")
                try await instance.startDaemonAndWait()
                try await eventually("both events are stored") { try await instance.events().count == 2 }
                try await body(instance)
            }
        }
    }

    @Test func `a number beyond 64 bits is a violation and is kept to the digit`() async throws {
        try await withDaemon { instance in
            let lines = try await instance.glossctl("show", "-o", "ndjson").lines
            #expect(lines.first?.contains("\"recipe_id\":18446744073709551616}") == true)
            #expect(try await instance.events().map { $0["resolution"] as? String } == ["violating", "resolved"])
        }
    }

    @Test func `a second daemon on the same folder refuses, and the first keeps running`() async throws {
        try await withDaemon { instance in
            let second = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path, ["--config", instance.path("gloss.yaml")])
            #expect(second.status == 1)
            #expect(second.errors.contains("(process \(instance.daemonPID))"), "\(second.errors)")
            #expect(try await instance.events().count == 2)

            // With a socket of its own, but the same store.
            try instance.write(
                instance.text(of: "gloss.yaml").replacing("control.sock", with: "other.sock"), to: "other.yaml")
            let third = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path, ["--config", instance.path("other.yaml")])
            #expect(third.status == 1)
            #expect(third.errors.contains("\(instance.daemonPID)"), "\(third.errors)")
            #expect(!FileManager.default.fileExists(atPath: instance.path("other.sock")))
        }
    }

    /// A daemon that cannot be asked must not take entries either: nobody would see them, and another may be serving them.
    @Test func `a daemon that cannot have the socket has read and written nothing`() async throws {
        try await withDaemon { instance in
            let settings = instance.text(of: "gloss.yaml").replacing("events.sqlite", with: "own/events.sqlite")
            let files = FileManager.default
            try files.createDirectory(atPath: instance.path("own"), withIntermediateDirectories: true)
            for (socket, words) in [
                ("control.sock", "another glossd (process \(instance.daemonPID)) serves the control socket"),
                (
                    "missing/control.sock",
                    "the control socket cannot be created: there is no folder \(instance.path("missing"))"
                ),
            ] {
                try instance.write(settings.replacing("control.sock", with: socket), to: "other.yaml")
                let start = try await GlossInstance.run(
                    GlossInstance.programs.appending(path: "glossd").path, ["--config", instance.path("other.yaml")])
                #expect(start.status == 1)
                #expect(start.errors.contains(words), "\(start.errors)")
                #expect(start.errors.contains("hint="), "\(start.errors)")
                #expect(try files.contentsOfDirectory(atPath: instance.path("own")).isEmpty)
            }
        }
    }

    @Test func `the log says once what is ready: version, journal, dictionaries and socket`() async throws {
        try await withDaemon { instance in
            let ready = instance.lines(of: "glossd.log").filter { $0.contains("Ready.") }
            #expect(ready.count == 1)
            let definitions = try #require(
                try await instance.glossctl("reload").text.firstMatch(of: /1 dictionary, (\d+ definitions)/)?.1)
            let line = try #require(ready.first)
            #expect(
                line.contains(
                    #/Ready\. glossd 0\.1\.0; journal: (directory|namespace):[^ ]+, \d+ files?; dictionaries: shop \(/#)
            )
            #expect(line.contains("shop (\(definitions)); socket: \(instance.socket)"), "\(line)")
        }
    }

    @Test func `SIGTERM with tails open ends it with exit status 0`() async throws {
        try await withDaemon { instance in
            let tails = try (0..<3).map { _ in
                let tail = Process()
                tail.executableURL = GlossInstance.programs.appending(path: "glossctl")
                tail.arguments = ["--socket", instance.socket, "tail", "--no-reconnect"]
                tail.standardOutput = FileHandle.nullDevice
                tail.standardError = FileHandle.nullDevice
                try tail.run()
                return tail
            }
            defer { for tail in tails where tail.isRunning { tail.terminate() } }
            try await eventually("the tails are open") { try await instance.status()["tails"] as? Int == 3 }
            let start = ContinuousClock.now
            #expect(await instance.stopDaemon() == 0)
            // It gives connections two seconds, and all its parts four. Tails that were waited for would never end.
            #expect(ContinuousClock.now - start < .seconds(30))
            for tail in tails { await tail.end() }
            #expect(tails.map(\.terminationStatus) == [3, 3, 3])
        }
    }

    @Test func `a reload reports a broken definition with its line, keeps the last good one, and applies the rest`()
        async throws
    {
        try await withDaemon { instance in
            let good = instance.text(of: "definitions/recipe_detail.md")
            let new = "\n## pin\n\nIt was pinned.\n"
            try instance.write(good + "\n- user-id: !bigint\n" + new, to: "definitions/recipe_detail.md")
            let reload = try await instance.glossctl("reload")
            #expect(reload.status == 1)
            #expect(reload.text.contains(#/recipe_detail\.md:\d+:\d+: error \[/#), "\(reload.text)")
            #expect(reload.errors.contains("definitions with errors stay as they were"), "\(reload.errors)")
            #expect(try await instance.glossctl("definitions", "show", "recipe_detail/pin").status == 0)
            let status = try await instance.glossctl("status")
            #expect(status.status == 1)
            #expect(status.text.contains("recipe_detail.md:"))
            #expect(try await instance.glossctl("definitions", "show", "recipe_detail/show").status == 0)

            try instance.write(good, to: "definitions/recipe_detail.md")
            #expect(try await instance.glossctl("reload").status == 0)
            #expect(try await instance.glossctl("status").status == 0)
        }
    }

    @Test func `SIGHUP reloads, and a wrong settings file changes nothing`() async throws {
        try await withDaemon { instance in
            let settings = instance.text(of: "gloss.yaml")
            try instance.write(settings + "\nsink: []\n", to: "gloss.yaml")
            instance.signalDaemon(SIGHUP)
            try await eventually("the daemon says so") {
                instance.text(of: "glossd.log").contains("unknown key \"sink\"")
            }
            try instance.write(
                settings.replacing("path: events.sqlite", with: "path: other.sqlite"), to: "gloss.yaml")
            let refused = try await instance.glossctl("reload")
            #expect(refused.status == 1)
            #expect((refused.text + refused.errors).contains("restart"))
            try instance.write(settings + "\n", to: "gloss.yaml")
            instance.signalDaemon(SIGHUP)
            try await eventually("the daemon says so") { instance.text(of: "glossd.log").contains("nothing changed") }
            #expect(try await instance.events().count == 2)
        }
    }

    @Test(arguments: ["garbage", "truncated", "foreign"])
    func `a database that is not ours or not whole is refused and left as it is`(kind: String) async throws {
        try await withDaemon { instance in
            #expect(await instance.stopDaemon() == 0)
            let file = URL(filePath: instance.path("events.sqlite"))
            switch kind {
            case "garbage": try Data(repeating: 0x47, count: 50_000).write(to: file)
            case "truncated": try Data(contentsOf: file).prefix(5000).write(to: file)
            default:
                try FileManager.default.removeItem(at: file)
                let made = try await GlossInstance.run(
                    "/usr/bin/sqlite3", [file.path, "CREATE TABLE t(x); INSERT INTO t VALUES(1)"])
                try #require(made.status == 0)
            }
            let before = try Data(contentsOf: file)
            let start = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path, ["--config", instance.path("gloss.yaml")])
            #expect(start.status == 78)
            #expect(start.errors.contains("events.sqlite") && start.errors.contains("hint="), "\(start.errors)")
            let check = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path,
                ["--check", "--config", instance.path("gloss.yaml")])
            #expect(check.status == 78 && check.text.isEmpty)
            #expect(check.errors.contains("gloss.yaml: error: \(file.path)"), "\(check.errors)")
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test func `a key that cannot be used ends it with 78, and is an error of the check`() async throws {
        try await withDaemon { instance in
            #expect(await instance.stopDaemon() == 0)
            let path = instance.path("hash.key")
            try Data(repeating: 7, count: 31).write(to: URL(filePath: path))
            for arguments in [[], ["--check"]] {
                let run = try await GlossInstance.run(
                    GlossInstance.programs.appending(path: "glossd").path,
                    arguments + ["--config", instance.path("gloss.yaml")])
                #expect(run.status == 78 && run.text.isEmpty)
                #expect(run.errors.contains("the key \(path) has 31 bytes instead of 32"), "\(run.errors)")
                #expect(run.errors.contains("Put the file back from a copy."), "\(run.errors)")
            }
        }
    }

    @Test func `a journal that cannot be read shows as degraded, never as an empty stream`() async throws {
        try await GlossInstance.with { instance in
            try FileManager.default.createDirectory(
                atPath: instance.path("journal"), withIntermediateDirectories: true)
            try instance.write("this is no journal", to: "journal/system.journal")
            try instance.configure(journal: "{directory: journal}")
            try await instance.startDaemonAndWait()
            // It answers before it has read for the first time.
            try await eventually("it is degraded") { try await instance.glossctl("status").status == 1 }
            let status = try await instance.glossctl("status")
            #expect(status.text.contains("degraded"), "\(status.text)")
            // A file that is this short may be one that is being created, for two seconds.
            try await eventually("the file is named") {
                try await instance.glossctl("status").text.contains("system.journal")
            }
            #expect(try await instance.status()["state"] as? String == "degraded")
        }
    }

    @Test(.enabled(if: geteuid() == 0 || Tool.isCI, "acting as another user needs root"))
    func `a journal that may not be read shows as degraded, with the reason`() async throws {
        try await JournalFixture.withJournal(of: [Self.journal]) { folder in
            try await GlossInstance.with { instance in
                let file = folder.appending(path: "1.journal").path
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
                try instance.configure(journal: "{directory: \"\(folder.path)\"}")
                try await instance.startDaemonAndWait(asNobody: true)
                try await eventually("it is degraded") { try await instance.glossctl("status").status == 1 }
                let status = try await instance.glossctl("status")
                #expect(status.text.contains("1.journal"), "\(status.text)")
                #expect(status.text.lowercased().contains("permission denied"), "\(status.text)")
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
                await instance.stopDaemon()
                try FileManager.default.removeItem(atPath: instance.path("glossd"))
                try await instance.startDaemonAndWait(asNobody: true)
                try await eventually("its events are there: \(instance.text(of: "glossd.log"))", within: .seconds(10)) {
                    try await instance.events().count == 2
                }
            }
        }
    }

    @Test func `wrong settings end it with 78 and the line at fault`() async throws {
        try await GlossInstance.with { instance in
            try instance.write("store:\n  max_sise: 1GiB\n", to: "gloss.yaml")
            let start = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path, ["--config", instance.path("gloss.yaml")])
            #expect(start.status == 78)
            #expect(start.errors.hasPrefix("<2>"))
            #expect(
                start.errors.contains(
                    "gloss.yaml:2:3: unknown key \"max_sise\" in store; did you mean \"max_size\"?"))
            let check = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path,
                ["--check", "--config", instance.path("gloss.yaml")])
            #expect(check.status == 78)
            #expect(check.errors.contains("gloss.yaml:2:3: error: unknown key"))
        }
    }

    @Test func `settings that only delivery can judge, and a folder in place of a file, say what to write`()
        async throws
    {
        try await GlossInstance.with { instance in
            let program = GlossInstance.programs.appending(path: "glossd").path
            try instance.write(
                "sinks: [{name: up, type: http, url: \"http://logs.example.com/\", token_file: token}]",
                to: "gloss.yaml")
            for arguments in [["--check"], []] {
                let sink = try await GlossInstance.run(program, arguments + ["--config", instance.path("gloss.yaml")])
                #expect(sink.status == 78)
                #expect(sink.errors.contains("sink up: url begins with http://"), "\(sink.errors)")
                #expect(sink.errors.contains("; write https://"), "\(sink.errors)")
                #expect(sink.errors.ranges(of: "sink up").count == 1, "\(sink.errors)")
                let folder = try await GlossInstance.run(program, arguments + ["--config", instance.folder.path])
                #expect(folder.status == 78)
                #expect(
                    folder.errors.contains(
                        "this is a folder; name the settings file in it, such as --config \(instance.path("gloss.yaml"))"
                    ),
                    "\(folder.errors)")
            }
        }
    }

    @Test(arguments: [
        ("glossd", ["--nonsense"]), ("glossd", ["--log-level", "loud"]), ("glossd", ["too", "many"]),
        ("glossctl", ["--nonsense"]), ("glossctl", ["show", "-n", "x"]),
        ("gloss-dictionary", ["--nonsense"]), ("gloss-receiver", ["--nonsense"]),
        ("gloss-receiver", ["--port", "70000"]), ("gloss-receiver", ["--answer", "x"]),
    ])
    func `wrong usage ends each program with 2`(program: String, arguments: [String]) async throws {
        let run = try await GlossInstance.run(GlossInstance.programs.appending(path: program).path, arguments)
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.text.isEmpty)
        #expect(!run.errors.isEmpty)
    }

    @Test(arguments: ["glossd", "glossctl", "gloss-dictionary", "gloss-receiver"])
    func `help ends each program with 0 and lists its exit statuses`(program: String) async throws {
        let run = try await GlossInstance.run(GlossInstance.programs.appending(path: program).path, ["--help"])
        #expect(run.status == 0)
        #expect(run.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("2 wrong usage"))
        #expect(run.errors.isEmpty)
    }

    @Test func `a receiver that cannot listen or has no token says why and ends`() async throws {
        try await GlossInstance.with { instance in
            let program = GlossInstance.programs.appending(path: "gloss-receiver").path
            try await instance.startReceiver()
            let port = try #require(instance.receiverURL.split(separator: ":").last)
            try instance.write("\n", to: "empty")
            for (arguments, words) in [
                (
                    ["--port", "\(port)"],
                    "another program listens on 127.0.0.1:\(port): stop it, or choose another --port"
                ),
                (["--host", "192.0.2.1", "--port", "0"], "192.0.2.1: that is not an address or name"),
                (["--host", "a..b", "--port", "0"], "choose another --host"),
                (
                    ["--port", "0", "--token-file", "/nope"],
                    "the token file /nope cannot be read: No such file or directory"
                ),
                (["--port", "0", "--token-file", instance.path("empty")], "empty is empty"),
            ] {
                let run = try await GlossInstance.run("/usr/bin/timeout", ["20", program] + arguments)
                #expect(run.status == 1)
                #expect(run.errors.contains(words), "\(run.errors)")
                #expect(!run.errors.contains("bind(") && !run.text.contains("listening"), "\(run.errors)")
            }
        }
    }

    @Test func `--check reports without starting`() async throws {
        try await GlossInstance.with { instance in
            try instance.configure(journal: "{start: now}")
            let program = GlossInstance.programs.appending(path: "glossd").path
            let good = try await GlossInstance.run(program, ["--check", "--config", instance.path("gloss.yaml")])
            #expect(good.status == 0)
            #expect(good.errors.isEmpty, "\(good.errors)")
            #expect(good.text.contains("1 source, 1 dictionary with 5 definitions, 0 sinks"))
            try instance.configure(
                journal: "{directory: nowhere}",
                more: """
                    sinks: [{name: up, type: http, url: "https://127.0.0.1/", ca_file: no.pem, token_file: no.token}]
                    """)
            let text = instance.text(of: "gloss.yaml").replacing("{socket:", with: "{admin_group: nobodies, socket:")
            try instance.write(text, to: "gloss.yaml")
            let missing = try await GlossInstance.run(program, ["--check", "--config", instance.path("gloss.yaml")])
            #expect(missing.status == 0 && missing.text.contains("good"))
            for what in ["nowhere: No such file", "no.pem: No such file", "no.token cannot be", "no group nobodies"] {
                #expect(missing.errors.contains(what), "\(what) in \(missing.errors)")
            }
            // The store is another user's, or on the way.
            try instance.write(text.replacing("events.sqlite", with: "later/events.sqlite"), to: "later.yaml")
            let later = try await GlossInstance.run(program, ["--check", "--config", instance.path("later.yaml")])
            #expect(later.status == 0 && later.text.contains("good"))
            #expect(later.errors.contains("later/events.sqlite cannot be reached: No such file"), "\(later.errors)")
            try FileManager.default.createDirectory(
                atPath: instance.path("later"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(atPath: program, toPath: instance.path("glossd"))
            let other = try await GlossInstance.run(
                "/usr/bin/setpriv",
                [
                    "--reuid=65534", "--regid=65534", "--clear-groups", instance.path("glossd"), "--check", "--config",
                    instance.path("later.yaml"),
                ])
            #expect(other.status == 0 && other.text.contains("good"), "\(other.errors)")
            #expect(other.errors.contains("Permission denied for this user"), "\(other.errors)")
            try instance.write("## x\n- a: !int\n", to: "definitions/broken.md")
            let bad = try await GlossInstance.run(program, ["--check", "--config", instance.path("gloss.yaml")])
            #expect(bad.status == 1)
            #expect(bad.errors.contains(#/broken\.md:2:\d+: error \[unknown-type\]: there is no type `!int`/#))
            #expect(!FileManager.default.fileExists(atPath: instance.path("events.sqlite")))
        }
    }
}
