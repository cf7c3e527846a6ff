import API
import Foundation
import HTTPTypes
import Hummingbird
import Linux
import Model
import NIOCore
import Store
import TestSupport
import Testing

@testable import Serve

struct MetricsTests {
    @Test func `a scrape has what the store and the daemon know`() async throws {
        try await withServer { server in
            let store = server.store
            _ = try await store.openSinks([(name: "upstream", start: .oldest)], now: Sample.start)
            try await store.save(Sample.batch(1...4096, gaps: [Sample.gap("lost")]), journal: "machine")
            try await store.save(Sample.batch(4097...4100), journal: "machine")
            let batch = FrozenBatch(
                sink: "upstream", key: "1", body: [], contentEncoding: nil, firstEventID: 1, lastEventID: 4000,
                eventCount: 4000)
            try await store.freeze(batch)
            _ = try await store.complete(batch, at: Sample.start)
            let delays = Histogram()
            delays.record([0.02, 0.3])
            server.daemon.set(
                counts: DaemonCounts(
                    stored: [.resolved: 4100], delays: delays.counts,
                    attempts: [SinkAttempts(sink: "upstream", outcome: "done", times: delays.counts)],
                    diagnostics: [.sinkHeld: 3]))

            let reply = try await server.get("/metrics")
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let scrape = Scrape(reply)
            let expected: [(String, Double)] = [
                ("gloss_build_info{version=\"0.1\"}", 1), ("gloss_state{state=\"running\"}", 1),
                ("gloss_state{state=\"paused\"}", 0), ("gloss_problems{code=\"sink.held\"}", 0),
                ("gloss_problems{code=\"alert.dropped\"}", 0),
                ("gloss_diagnostics_total{code=\"sink.held\"}", 3), ("gloss_checklist_runs{state=\"held\"}", 0),
                ("gloss_journal_files", 2),
                ("gloss_journal_entries_total{outcome=\"stored\"}", 4100), ("gloss_gaps_total", 1),
                ("gloss_events_stored_total{resolution=\"resolved\"}", 4100),
                ("gloss_events_stored_total{resolution=\"malformed\"}", 0),
                ("gloss_events_seen{resolution=\"resolved\"}", 4100), ("gloss_store_events", 4100),
                ("gloss_store_oldest_event_timestamp_seconds", Double(Sample.start + 1000) / 1e6),
                ("gloss_store_source_events{source=\"\(Sample.source)\"}", 4096), ("gloss_store_damaged", 0),
                ("gloss_store_limit_bytes", Double(1 << 30)), ("gloss_event_delay_seconds_count", 2),
                ("gloss_event_delay_seconds_sum", 0.32), ("gloss_event_delay_seconds_bucket{le=\"0.025\"}", 1),
                ("gloss_sink_state{sink=\"upstream\",state=\"retrying\"}", 1),
                ("gloss_sink_state{sink=\"upstream\",state=\"ok\"}", 0),
                ("gloss_sink_lag_events{sink=\"upstream\"}", 100),
                ("gloss_sink_delivered_events_total{sink=\"upstream\"}", 4000),
                ("gloss_sink_delivered_batches_total{sink=\"upstream\"}", 1),
                ("gloss_sink_last_success_timestamp_seconds{sink=\"upstream\"}", Double(Sample.start) / 1e6),
                ("gloss_sink_attempt_duration_seconds_count{sink=\"upstream\",outcome=\"done\"}", 2),
                ("gloss_tails", 0), ("process_start_time_seconds", Double(Sample.start) / 1e6),
            ]
            for (series, value) in expected {
                #expect(scrape[series: series] == value, "\(series)")
            }
            // Two batches, a sink, and two of its batch.
            #expect(scrape[series: "gloss_store_commit_duration_seconds_count"] ?? 0 >= 5)
            #expect(scrape[series: "gloss_store_size_bytes"] ?? 0 > 100_000)
            #expect(scrape[series: "process_resident_memory_bytes"] ?? 0 > 1_000_000)
            #expect(scrape[series: "process_open_fds"] ?? 0 > 3)
            #expect(scrape[series: "process_cpu_seconds_total"] ?? 0 > 0)
            // No lag of the journal is known here, so there is none.
            #expect(!scrape.text.contains("gloss_journal_lag_seconds"))
        }
    }

    @Test func `requests are counted by route and class of status, and nothing that a client makes up is a label`()
        async throws
    {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            for path in ["/v1/events/1", "/v1/events/2", "/v1/events/99", "/v1/status", "/v1/status?x=1"] {
                _ = try await server.get(path)
            }
            for number in 0..<20 { _ = try await server.get("/nothing/\(number)") }
            _ = try await server.request("DELETE", "/v1/status")
            _ = try await server.request("HEAD", "/v1/status")
            func count(_ route: String, _ status: String) async throws -> Double? {
                let labels = "{route=\"\(route)\",status=\"\(status)\"}"
                return try await server.scrape()[series: "gloss_http_request_duration_seconds_count\(labels)"]
            }
            // The client may have its answer before the server has counted it; each has a connection of its own.
            for (route, status, expected) in [
                ("/v1/status", "2xx", 2.0), ("/v1/events/{id}", "2xx", 2), ("/v1/events/{id}", "4xx", 1),
                ("/v1/status", "4xx", 1), ("other", "4xx", 21),
            ] {
                #expect(try await eventually { try await count(route, status) == expected }, "\(route) \(status)")
            }
            #expect(try await count("/v1/gaps", "2xx") == nil)
            #expect(try await server.scrape().text.contains("nothing") == false)
        }
    }

    @Test func `a tail is a tail, and no slow request`() async throws {
        try await withServer { server in
            let tail = try await TailClient(server)
            #expect(try await tail.status() == 200)
            #expect(try await server.scrape()[series: "gloss_tails"] == 1)
            tail.client.leave()
            #expect(try await eventually { try await server.scrape()[series: "gloss_tails"] == 0 })
            #expect(try await server.scrape().text.contains("route=\"\(APIPath.events)\"") == false)
        }
    }

    @Test(arguments: [
        ("/v1/events?follow=true", true), ("/v1/events/?n=0&follow=true", true), ("//v1/events?follow=true", true),
        ("/v1/events?follow=false", false), ("/v1/events/", false),
    ])
    func `a tail is no slow request, however its path is spelled`(path: String, isTail: Bool) {
        let request = Request(
            head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: path), body: .init(buffer: ByteBuffer()))
        let times = RequestTimes()
        times.record(request, APIPath.events, Response(status: .ok), since: .now)
        #expect(times.counts.isEmpty == isTail)
    }

    @Test func `it is answered as other paths are`() async throws {
        try await withServer { server in
            let head = try await server.request("HEAD", "/metrics")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(Int(head.headers["content-length"] ?? "") ?? 0 > 1000)
            let post = try await server.request("POST", "/metrics")
            #expect(post.status == 405 && post.headers["allow"] == "GET, HEAD")
            #expect(try await server.get("/metrics?name=x").status == 400)
        }
    }

    @Test func `what the store cannot say is left out, whatever the reason`() async throws {
        try await withServer { server in
            _ = try await server.store.openSinks([(name: "upstream", start: .oldest)], now: Sample.start)
            try await server.store.save(Sample.batch(1...5000), journal: "machine")
            let whole = try await server.scrape()
            try sqlite(server, "DROP TABLE totals; DROP TABLE sinks")
            let status = try await server.get(APIPath.status)
            #expect(status.status == 200)
            let scrape = try await server.scrape()
            #expect(scrape[series: "gloss_store_damaged"] == 1)
            for name in [
                "gloss_events_seen", "gloss_store_events", "gloss_sink_lag_events", "gloss_events_dropped_total",
            ] {
                #expect(whole.names.contains(name) && !scrape.names.contains(name), "\(name)")
            }
            for name in ["gloss_events_stored_total", "gloss_store_size_bytes", "gloss_sink_state"] {
                #expect(scrape.names.contains(name), "\(name)")
            }
        }
    }

    @Test func `a damaged store is a metric, and the others stay`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...5000), journal: "machine")
            #expect(try await server.scrape()[series: "gloss_store_damaged"] == 0)
            try damage(server, table: "totals")
            let scrape = try await server.scrape()
            #expect(scrape[series: "gloss_store_damaged"] == 1)
            #expect(!scrape.names.contains("gloss_events_seen") && scrape.names.contains("gloss_store_source_events"))
        }
    }

    @Test(arguments: ["removals", "sqlite_sequence"])
    func `damage of a table of removals or of ids does not hide the events`(_ table: String) async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...5000), journal: "machine")
            try damage(server, table: table)
            let scrape = try await server.scrape()
            for name in ["gloss_events_seen", "gloss_store_events"] { #expect(scrape.names.contains(name), "\(name)") }
            #expect(scrape.names.contains("gloss_gaps_total") == (table == "removals"))
        }
    }

    /// Overwrites the table's first page.
    private func damage(_ server: RunningServer, table: String) throws {
        let path = server.store.options.path
        // The log has no page any more: readers take those of the file.
        try sqlite(server, "PRAGMA wal_checkpoint(TRUNCATE)")
        try sqlite(server, ".once \(path).page", "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
        let text = try String(contentsOfFile: path + ".page", encoding: .utf8)
        let page = try #require(UInt64(text.split(separator: "\n").first ?? ""))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: (page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: 4096))
        try file.close()
    }

    private func sqlite(_ server: RunningServer, _ commands: String...) throws {
        try Tool("/usr/bin/sqlite3", package: "sqlite3").run([server.store.options.path] + commands)
    }

    @Test func `names follow the conventions`() {
        #expect(Set(Metric.all.map(\.name)).count == Metric.all.count)
        for metric in Metric.all {
            let isTotal = metric.name.hasSuffix("_total")
            #expect(isTotal == (metric.kind == .counter), "\(metric.name)")
            let base = isTotal ? String(metric.name.dropLast("_total".count)) : metric.name
            for unit in ["seconds", "bytes"] {
                #expect(base.hasSuffix("_\(unit)") == (metric.unit.rawValue == unit), "\(metric.name)")
            }
            #expect(metric.name.hasPrefix("gloss_") || metric.name.hasPrefix("process_"), "\(metric.name)")
            #expect(metric.name.wholeMatch(of: /[a-z_]+/) != nil)
            #expect(metric.labels.allSatisfy { $0.wholeMatch(of: /[a-z]+/) != nil && $0 != "le" })
            #expect(!metric.help.isEmpty && !metric.help.hasSuffix("."), "\(metric.name)")
        }
    }

    @Test func `the process knows itself`() throws {
        let use = ProcessUse.now()
        let resident = try #require(use.residentBytes)
        #expect(try #require(use.anonymousBytes) < resident)
        #expect(try #require(use.virtualBytes) >= resident)
        let before = try #require(use.openDescriptors)
        let files = try (0..<5).map { _ in try #require(FileHandle(forReadingAtPath: "/dev/null")) }
        #expect(try #require(ProcessUse.now().openDescriptors) >= before + files.count)
        #expect(try #require(use.maximumDescriptors) >= UInt64(before))
        #expect(ProcessUse.now().processorSeconds ?? 0 > 0)
    }
}
