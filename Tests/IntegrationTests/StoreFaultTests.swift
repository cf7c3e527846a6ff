import Foundation
import Glibc
import Model
import TestSupport
import Testing

/// A disk without room, and a database that is damaged: the daemon starts, does what it can, and says what it cannot.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct StoreFaultTests {
    private func received(_ instance: GlossInstance) -> [Int] {
        instance.lines(of: "received.ndjson").compactMap { line in
            line.firstMatch(of: /"number":([0-9]+)/).flatMap { Int($0.1) }
        }
    }

    private func stored(_ instance: GlossInstance) async throws -> Int? {
        (try await instance.status()["events"] as? [String: Any])?["stored"] as? Int
    }

    private func problems(_ instance: GlossInstance) async throws -> [String] {
        (try await instance.status()["problems"] as? [[String: Any]] ?? []).compactMap { $0["what"] as? String }
    }

    /// Waits until reading is paused, which is the only problem.
    private func problemsOfPause(_ instance: GlossInstance) async throws -> [String] {
        try await eventually("reading is paused") { try await instance.status()["state"] as? String == "paused" }
        let problems = try await problems(instance)
        try #require(problems.count == 1 && problems[0].contains("Reading is paused"), "\(problems)")
        return problems
    }

    private func sink(
        _ instance: GlossInstance
    ) async throws -> (state: String?, error: String?, deliveredEvents: Int?) {
        let sink = (try await instance.status()["sinks"] as? [[String: Any]])?.first
        return (sink?["state"] as? String, sink?["last_error"] as? String, sink?["delivered_events"] as? Int)
    }

    private func lag(_ instance: GlossInstance) async throws -> Double? {
        let journal = try await instance.status()["journal"] as? [String: Any]
        return journal?["lag_seconds"] as? Double
    }

    /// Overwrites a page of the database.
    /// - Parameter query: gives its number.
    private func damage(_ instance: GlossInstance, page query: String) async throws {
        let path = instance.path("events.sqlite")
        let answer = try await GlossInstance.run("/usr/bin/sqlite3", ["-readonly", path, query])
        let page = try #require(
            Int(answer.text.trimmingCharacters(in: .whitespacesAndNewlines)), "\(answer.errors)")
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: 4096))
        try file.close()
    }

    /// Runs `body` with a daemon that reads a journald of its own.
    private func withDaemon(_ body: (PrivateJournald, GlossInstance) async throws -> Void) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(journal: "{namespace: \(journald.namespace)}")
                try await instance.startDaemonAndWait()
                try await body(journald, instance)
            }
        }
    }

    @Test func `damage that a query meets is a problem of the status from then on`() async throws {
        try await withDaemon { journald, instance in
            try journald.sendNumbers(1...5000)
            try await eventually("all are stored") { try await stored(instance) == 5000 }
            #expect(await instance.stopDaemon() == 0)
            try await damage(
                instance,
                page: """
                    SELECT pageno FROM dbstat WHERE name = 'block_data' AND pagetype = 'overflow' ORDER BY path
                    LIMIT 1 OFFSET 2
                    """)
            try await instance.startDaemonAndWait()
            #expect(try await instance.glossctl("status").status == 0, "nobody has met it yet")
            let show = try await instance.glossctl("show", "-n", "all", "-o", "ndjson")
            #expect(show.status != 0 && show.errors.contains("damaged"), "\(show.errors)")
            let status = try await instance.glossctl("status")
            #expect(status.status == 1)
            let words = status.text.split { $0.isWhitespace }.joined(separator: " ")
            #expect(words.contains("events.sqlite: the database is damaged"), "\(status.text)")
            #expect(words.contains("rebuilt from the journal"), "\(status.text)")
            // What does not need it keeps working.
            #expect(try await instance.glossctl("show", "-n", "10", "-o", "ndjson").lines.count == 10)
            try journald.sendNumbers(5001...5010)
            try await eventually("more is stored") { try await stored(instance) == 5010 }
            try await eventually("the log says so") { instance.text(of: "glossd.log").contains("damaged") }
        }
    }

    @Test func `damage that is in the way of storing pauses reading, and loses nothing`() async throws {
        try await withDaemon { journald, instance in
            try journald.sendNumbers(1...10)
            try await eventually("all are stored") { try await stored(instance) == 10 }
            #expect(await instance.stopDaemon() == 0)
            try await damage(instance, page: "SELECT rootpage FROM sqlite_schema WHERE name = 'block_data'")
            try await instance.startDaemonAndWait()
            // It is written to when a block is packed.
            try journald.sendNumbers(11...5000)
            let problems = try await problemsOfPause(instance)
            #expect(problems[0].contains("the database is damaged"), "\(problems)")
            #expect(try await instance.glossctl("status").status == 1)
            #expect(try await instance.glossctl("show", "-n", "10").status == 0)
            #expect(await instance.stopDaemon() == 0)

            // What the hint says.
            for name in ["events.sqlite", "events.sqlite-wal", "events.sqlite-shm"] {
                _ = rename(instance.path(name), instance.path("damaged-" + name))
            }
            try await instance.startDaemonAndWait()
            try await eventually("all are stored") { try await stored(instance) == 5000 }
            #expect(try await instance.glossctl("status").status == 0)
        }
    }

    @Test func `damage in a small table refuses the start, and the copy that the documentation makes has all events`()
        async throws
    {
        let page = try String(contentsOf: GlossInstance.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let script = try #require(page.firstMatch(of: /sudo sh <<'END'\n((?s).*?)END\n/)?.1)
        try await withDaemon { journald, instance in
            try journald.sendNumbers(1...5000)
            try await eventually("all are stored") { try await stored(instance) == 5000 }
            #expect(await instance.stopDaemon() == 0)
            try await damage(instance, page: "SELECT rootpage FROM sqlite_schema WHERE name = 'totals'")
            let refused = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path, ["--config", instance.path("gloss.yaml")])
            #expect(refused.status == 78)
            let copied = try await GlossInstance.run(
                "/bin/sh", ["-c", String(script).replacing("/var/lib/gloss", with: instance.folder.path)])
            #expect(copied.status == 0, "\(copied.errors)")
            try await instance.startDaemonAndWait()
            try journald.sendNumbers(5001...5010)
            try await eventually("more is stored") {
                try await instance.events().count == 5010
            }
            #expect(try await instance.glossctl("status").status == 0)
            #expect(await instance.stopDaemon() == 0)
        }
    }

    @Test func `a disk that refuses to write pauses reading, which then continues, and loses nothing`() async throws {
        try await withDaemon { journald, instance in
            try journald.sendNumbers(1...10)
            try await eventually("all are stored") { try await stored(instance) == 10 }
            func limitFiles(_ bytes: String) async throws {
                let pid = "\(instance.daemonPID)"
                let answer = try await GlossInstance.run("/usr/bin/prlimit", ["--pid", pid, "--fsize=\(bytes):"])
                try #require(answer.status == 0, "\(answer.errors)")
            }
            try await limitFiles("0")
            try journald.sendNumbers(11...20)
            let problems = try await problemsOfPause(instance)
            #expect(problems[0].contains("the disk cannot be written"), "\(problems)")
            #expect(problems[0].contains("File too large"), "\(problems)")
            #expect(try await instance.glossctl("show", "-n", "10", "-o", "ndjson").lines.count == 10)

            try await limitFiles("unlimited")
            try await eventually("all are stored", within: .seconds(20)) { try await stored(instance) == 20 }
            try await eventually("all is well") { try await instance.glossctl("status").status == 0 }
            #expect(await instance.stopDaemon() == 0)
        }
    }

    @Test(.enabled(if: Requirement.mounting == nil, "\(Requirement.mounting ?? "")"))
    func `it starts on a full disk, answers, delivers what it can, and continues when there is room`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                let state = instance.path("state")
                try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
                try #require(mount("tmpfs", state, "tmpfs", 0, "size=4m") == 0)
                defer { umount2(state, Int32(MNT_DETACH)) }
                try await instance.startReceiver()
                let port = try #require(Int(instance.receiverURL.split(separator: ":").last ?? ""))
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}", store: "{path: state/events.sqlite}",
                    more: """
                        sinks: [{name: up, type: http, url: "\(instance.receiverURL)/", start: oldest,
                                 backoff: {base: 100ms, cap: 500ms}}]
                        """)
                try await instance.startDaemonAndWait()
                try journald.sendNumbers(1...200)
                // A receiver that ends before its answer comes gets them again, and a full disk keeps the sink there.
                try await eventually("all are delivered, and acknowledged") {
                    try await sink(instance).deliveredEvents == 200
                }
                await instance.stopReceiver()
                try journald.sendNumbers(201...210)
                try await eventually("all are stored, and a batch is frozen") {
                    let (found, count) = (try await sink(instance), try await stored(instance))
                    return found.state == "retrying" && count == 210
                }
                #expect(await instance.stopDaemon() == 0)

                fill(state + "/ballast")
                try await instance.startReceiver(port: port)
                try await instance.startDaemonAndWait()
                #expect(try await instance.events().count == 210)
                let before = try await instance.glossctl("status")
                #expect(before.status == 1)
                #expect(before.text.contains("is full"), "\(before.text)")
                try await eventually("the frozen batch is delivered") { received(instance).contains(201) }
                try journald.sendNumbers(211...300)
                try await eventually("reading is paused") {
                    try await instance.status()["state"] as? String == "paused"
                }
                #expect(try await problems(instance).count { $0.contains("full") } == 1)
                try await eventually("the sink waits for the store") { try await sink(instance).state == "paused" }
                let paused = try await instance.glossctl("status").text
                #expect(paused.contains("waits for the store, http"), "\(paused)")
                let words = paused.split { $0.isWhitespace }.joined(separator: " ")
                #expect(words.matches(of: /SQLite's code/).count == 1, "\(paused)")
                let lag = try #require(try await self.lag(instance))
                try await Task.sleep(for: .seconds(2))
                try journald.sendNumbers(301...310)
                try await eventually("status sees what waits in the journal", within: .seconds(20)) {
                    try await self.lag(instance) ?? 0 >= lag + 2
                }

                #expect(unlink(state + "/ballast") == 0)
                try await eventually("everything is delivered") { received(instance).count >= 310 }
                #expect(received(instance) == Array(1...310))
                try await eventually("all is well") { try await instance.glossctl("status").status == 0 }
                let recovered = try await sink(instance)
                #expect(recovered.state == "ok" && recovered.error == nil, "\(recovered)")
                #expect(await instance.stopDaemon() == 0)
            }
        }
    }

    @Test(.enabled(if: Requirement.mounting == nil, "\(Requirement.mounting ?? "")"))
    func `a new store waits for room, and says so`() async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                let state = instance.path("state")
                try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
                try #require(mount("tmpfs", state, "tmpfs", 0, "size=1m") == 0)
                defer { umount2(state, Int32(MNT_DETACH)) }
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}", store: "{path: state/events.sqlite}")
                fill(state + "/ballast")
                try instance.startDaemon()
                try await eventually("the log says so") {
                    instance.text(of: "glossd.log").contains("glossd cannot start yet")
                }
                #expect(instance.isDaemonRunning)
                let answer = try await instance.glossctl("status")
                #expect(answer.status == 3)
                #expect(answer.errors.contains("waits for space"), "\(answer.errors)")
                // Each of them stops it at once, and a request to reload does not.
                for signal in [SIGTERM, SIGINT] {
                    instance.signalDaemon(SIGHUP)
                    try await Task.sleep(for: .milliseconds(300))
                    #expect(instance.isDaemonRunning)
                    instance.signalDaemon(signal)
                    #expect(await instance.waitForDaemon() == 0)
                    let names = try FileManager.default.contentsOfDirectory(atPath: state)
                    #expect(Set(names).isSubset(of: ["ballast", "events.sqlite", "events.sqlite.lock"]), "\(names)")
                    try FileManager.default.removeItem(atPath: instance.path("glossd.log"))
                    try instance.startDaemon()
                    try await eventually("the log says so") {
                        instance.text(of: "glossd.log").contains("glossd cannot start yet")
                    }
                }
                instance.signalDaemon(SIGHUP)
                #expect(unlink(state + "/ballast") == 0)
                try journald.sendNumbers(1...3)
                try await eventually("all are stored") { try await stored(instance) == 3 }
                #expect(await instance.stopDaemon() == 0)
            }
        }
    }

    /// Takes all the room that there is.
    private func fill(_ path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        for size in [4096, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while write(file, bytes, size) > 0 {}
        }
    }
}
