import Foundation
import Glibc
import TestSupport
import Testing

/// `/metrics` of the built daemon, and the recipes of docs/metrics.md.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.metrics == nil, "\(Requirement.metrics ?? "")"))
struct MetricsTests {
    private typealias Metrics = [String: Double]

    private func parsed(_ text: String) -> Metrics {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            lines.compactMap { line in
                line.lastIndex(of: " ").flatMap { space in
                    Double(line[line.index(after: space)...]).map { (String(line[..<space]), $0) }
                }
            }, uniquingKeysWith: { _, _ in .nan })
    }

    private func scrape(_ instance: GlossInstance) async throws -> Metrics {
        let output = try await curl(instance.socket)
        guard output.status == 0 else { throw Timeout("no metrics: \(output.errors)") }
        return parsed(output.text)
    }

    private func curl(_ socket: String, _ path: String = "/metrics") async throws -> GlossInstance.Output {
        try await GlossInstance.run(
            "/usr/bin/curl", ["--silent", "--show-error", "--fail", "--unix-socket", socket, "http://gloss\(path)"])
    }

    private func send(_ message: String, _ journald: PrivateJournald) throws {
        try journald.send(["SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": message])
    }

    private func withDaemon(
        more: (GlossInstance) async throws -> String = { _ in "" },
        _ body: (GlossInstance, PrivateJournald) async throws -> Void
    ) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try instance.configure(
                    journal: "{namespace: \(journald.namespace)}", more: try await more(instance))
                try await instance.startDaemonAndWait()
                try await eventually("the journal is read") {
                    try await scrape(instance)["gloss_state{state=\"running\"}"] == 1
                }
                try await body(instance, journald)
            }
        }
    }

    @Test func `counters move by what was sent, and never go back`() async throws {
        try await withDaemon(
            more: { instance in
                try await instance.startReceiver()
                return """
                    sinks: [{name: up, type: http, url: "\(instance.receiverURL)", start: oldest, batch: {max_age: 50ms}}]
                    """
            }
        ) { instance, journald in
            let before = try await scrape(instance)
            for number in 0..<20 {
                let results = number % 4 == 3 ? #""many""# : "\(number)"
                try send(
                    """
                    {"event_category":"recipe_search","event_name":"search","session_id":"s","platform":"ios",\
                    "keyword":"魚","order":"new","results":\(results)}
                    """, journald)
            }
            try send(#"{"event_category":"garden","event_name":"dig"}"#, journald)
            try send("not an object", journald)
            try journald.send(["SUBSYSTEM": "org.elsewhere", "MESSAGE": "for nobody"])
            try await eventually("all are delivered") {
                try await scrape(instance)["gloss_sink_delivered_events_total{sink=\"up\"}"] == 22
            }
            try await eventually("what is skipped is counted") {
                try await scrape(instance)["gloss_journal_entries_total{outcome=\"skipped\"}"] ?? 0
                    > before["gloss_journal_entries_total{outcome=\"skipped\"}"] ?? 0
            }
            let after = try await scrape(instance)
            for (series, moved) in [
                ("gloss_events_stored_total{resolution=\"violating\"}", 5),
                ("gloss_events_stored_total{resolution=\"resolved\"}", 15),
                ("gloss_events_stored_total{resolution=\"undefined\"}", 1),
                ("gloss_events_stored_total{resolution=\"plain\"}", 1),
                ("gloss_events_stored_total{resolution=\"malformed\"}", 0),
                ("gloss_journal_entries_total{outcome=\"stored\"}", 22), ("gloss_store_events", 22),
                ("gloss_event_delay_seconds_count", 22), ("gloss_gaps_total", 0),
            ] {
                #expect((after[series] ?? .nan) - (before[series] ?? .nan) == Double(moved), "\(series)")
            }
            #expect(after["gloss_sink_state{sink=\"up\",state=\"ok\"}"] == 1)
            #expect(after["gloss_sink_lag_events{sink=\"up\"}"] == 0)
            let attempts = "gloss_sink_attempt_duration_seconds_count{sink=\"up\",outcome="
            #expect(after[attempts + "\"done\"}"] == after["gloss_sink_delivered_batches_total{sink=\"up\"}"])
            #expect(after[attempts + "\"hold\"}"] == 0)
            #expect(after["gloss_event_delay_seconds_sum"] ?? .nan < 22 * 60)
            #expect(after["gloss_store_commit_duration_seconds_count"] ?? 0 > 2)
            #expect(after["gloss_journal_lag_seconds"] == 0)
            #expect(after["process_resident_memory_bytes"] ?? 0 > after["gloss_memory_anonymous_bytes"] ?? 0)

            // An event that is defined later is seen as resolved, but the counter of what was stored stays.
            try instance.write("# garden\n\nThe garden.\n\n## dig\n\nDug.\n", to: "definitions/garden.md")
            try await eventually("the event is reprocessed") {
                try await scrape(instance)["gloss_events_reprocessed_total"] ?? 0 > 0
            }
            let later = try await scrape(instance)
            #expect(later["gloss_events_seen{resolution=\"undefined\"}"] == 0)
            #expect(later["gloss_events_stored_total{resolution=\"undefined\"}"] == 1)
            for (series, value) in after where series.contains("_total") || series.contains("_count") {
                #expect(later[series] ?? -1 >= value, "\(series)")
            }
        }
    }

    @Test func `a refused batch is an attempt with the outcome hold`() async throws {
        try await withDaemon(
            more: { instance in
                try instance.write("right\n", to: "receiver-token")
                try await instance.startReceiver(arguments: ["--token-file", instance.path("receiver-token")])
                return """
                    sinks: [{name: up, type: http, url: "\(instance.receiverURL)", start: oldest, batch: {max_age: 50ms}}]
                    """
            }
        ) { instance, journald in
            try journald.sendNumbers(1...3)
            // The first batch may have been sent before the last event came.
            try await eventually("the sink is held, and all events wait") {
                let metrics = try await scrape(instance)
                return metrics["gloss_sink_state{sink=\"up\",state=\"held\"}"] == 1
                    && metrics["gloss_sink_lag_events{sink=\"up\"}"] == 3
            }
            let metrics = try await scrape(instance)
            #expect(metrics["gloss_sink_attempt_duration_seconds_count{sink=\"up\",outcome=\"hold\"}"] == 1)
            #expect(metrics["gloss_sink_delivered_events_total{sink=\"up\"}"] == 0)
            #expect(metrics["gloss_sink_lag_seconds{sink=\"up\"}"] ?? 0 > 0)
            #expect(metrics["gloss_problems{code=\"sink.held\"}"] == 1)
            #expect(metrics["gloss_problems{code=\"sink.retrying\"}"] == 0)
            #expect(metrics["gloss_state{state=\"degraded\"}"] == 1)
        }
    }

    @Test func `the script for node_exporter's textfile collector writes a whole file or none`() async throws {
        try await withDaemon { instance, _ in
            let script = GlossInstance.root.appending(path: "config/prometheus/gloss-textfile").path
            let folder = instance.path("textfile")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let output = try await GlossInstance.run(script, [folder, instance.socket])
            #expect(output.status == 0 && output.text + output.errors == "", "\(output.errors)")
            let text = instance.text(of: "textfile/gloss.prom")
            #expect(parsed(text)["gloss_build_info{version=\"0.1.0\"}"] == 1)
            #expect(!text.contains("process_") && text.hasSuffix("\n"))

            #expect(await instance.stopDaemon() == 0)
            let failed = try await GlossInstance.run(script, [folder, instance.socket])
            #expect(failed.status != 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["gloss.prom"])
            #expect(instance.text(of: "textfile/gloss.prom") == text)
        }
    }

    @Test func `the script for a port answers with the metrics, whatever is asked`() async throws {
        try await withDaemon { instance, _ in
            let script = GlossInstance.root.appending(path: "config/prometheus/gloss-metrics").path
            let port = instance.path("port.sock")
            try await instance.withSocket(port, ["--accept", "--inetd", script, instance.socket]) {
                for path in ["/metrics", "/v1/events?n=all", "/"] {
                    let output = try await curl(port, path)
                    #expect(output.status == 0, "\(output.errors)")
                    #expect(parsed(output.text)["gloss_build_info{version=\"0.1.0\"}"] == 1, "\(output.text)")
                }
                #expect(await instance.stopDaemon() == 0)
                let failed = try await curl(port)
                #expect(failed.status == 22 && failed.errors.contains("503"), "\(failed.errors)")
            }
        }
    }

    @Test func `systemd-socket-proxyd passes on all of the API`() async throws {
        try await withDaemon { instance, _ in
            let port = instance.path("port.sock")
            try await instance.withSocket(port, [Requirement.socketProxy.path, instance.socket]) {
                let (metrics, status) = (try await curl(port), try await curl(port, "/v1/status"))
                #expect(parsed(metrics.text)["gloss_build_info{version=\"0.1.0\"}"] == 1)
                #expect(status.status == 0)
            }
        }
    }

    @Test(.enabled(if: Requirement.systemdAnalyze == nil, "\(Requirement.systemdAnalyze ?? "")"))
    func `systemd accepts every line of the units`() async throws {
        try await GlossInstance.with { instance in
            let folder = GlossInstance.root.appending(path: "config/prometheus")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let units = names.filter { $0.contains(".service") || $0.contains(".socket") || $0.contains(".timer") }
            #expect(units.count == 6)
            for name in units {
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                try instance.write(text.replacing("/usr/local/libexec", with: folder.path), to: "units/\(name)")
            }
            for name in units where !name.contains("@") {
                let verify = try await GlossInstance.run(
                    "/usr/bin/systemd-analyze", ["verify", "--man=no", instance.path("units/\(name)")])
                #expect(verify.status == 0 && !(verify.text + verify.errors).contains("gloss-"), "\(verify.errors)")
            }
        }
    }
}

extension GlossInstance {
    /// Listens on a Unix socket and starts a program for what connects, as systemd does.
    /// - Parameter arguments: of systemd-socket-activate(1).
    fileprivate func withSocket(_ path: String, _ arguments: [String], _ body: () async throws -> Void) async throws {
        let process = Process()
        // It closes all files that it is started with. By one of these, Foundation would notice the end of the process, and it
        // would wait for that before it notices the end of any other: the shell keeps the file. What Foundation starts has
        // signals blocked, too, so it is killed.
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", #"setpriv --pdeathsig KILL "$@" & wait"#, "sh", Requirement.socketActivate.path, "--listen", path]
            + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        func stop() async {
            kill(process.processIdentifier, SIGKILL)
            await process.end()
        }
        do {
            // The file is there before anybody listens. To connect would start the program.
            try await eventually("somebody listens at \(path)") {
                let sockets = String(decoding: try Data(contentsOf: URL(filePath: "/proc/net/unix")), as: UTF8.self)
                return sockets.split(separator: "\n").contains {
                    $0.contains(" 00010000 ") && $0.hasSuffix(" \(path)")
                }
            }
            try await body()
        } catch {
            await stop()
            throw error
        }
        await stop()
    }
}
