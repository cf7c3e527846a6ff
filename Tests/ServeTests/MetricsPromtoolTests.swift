import Foundation
import Model
import Store
import TestSupport
import Testing

@testable import Serve

private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
/// What `.make/promtool` has downloaded, or else Debian's.
private let promtool: Tool = {
    let downloaded = Tool(root.appending(path: ".build/promtool/promtool").path, package: "prometheus")
    let installed = Tool("/usr/bin/promtool", package: "prometheus")
    return downloaded.isInstalled || !installed.isInstalled ? downloaded : installed
}()

/// What Prometheus' own program says of the metrics.
@Suite(.enabled(if: promtool.reasonToSkip == nil, "\(promtool.reasonToSkip ?? ""), or .make/promtool"))
struct MetricsPromtoolTests {
    /// - Returns: the exit status, and everything that it wrote.
    private func run(_ arguments: [String], input: String = "") async throws -> (status: Int32, output: String) {
        try await withTemporaryFolder { (folder: String) in
            try Data(input.utf8).write(to: URL(filePath: folder + "/in"))
            try Data().write(to: URL(filePath: folder + "/out"))
            let process = Process()
            process.executableURL = URL(filePath: promtool.path)
            process.arguments = arguments
            let output = try FileHandle(forWritingTo: URL(filePath: folder + "/out"))
            process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder + "/in"))
            (process.standardOutput, process.standardError) = (output, output)
            return (try await process.runToEnd(), try String(contentsOfFile: folder + "/out", encoding: .utf8))
        }
    }

    @Test func `promtool check metrics finds nothing wrong`() async throws {
        try await withServer { server in
            let strange = "a \"quoted\" \\ source\nof two lines \u{1F41F}"
            _ = try await server.store.openSinks([(name: "upstream", start: .oldest)], now: Sample.start)
            try await server.store.save(Sample.batch(1...4096, source: strange), journal: "machine")
            try await server.store.save(Sample.batch(4097...8192), journal: "machine")
            let times = Histogram()
            times.record([0.1, 1000])
            server.daemon.set(
                counts: DaemonCounts(
                    stored: [.plain: 3], delays: times.counts,
                    attempts: ["done", "retry", "hold"].map {
                        SinkAttempts(sink: "upstream", outcome: $0, times: times.counts)
                    }))
            for path in ["/v1/status", "/nothing", "/v1/events/1"] { _ = try await server.get(path) }
            #expect(
                try await eventually {
                    try await server.scrape().names.contains("gloss_http_request_duration_seconds")
                })
            let scrape = try await server.scrape()
            #expect(scrape.text.contains(#"source="a \"quoted\" \\ source\nof two lines 🐟""#))
            let (status, output) = try await run(["check", "metrics"], input: scrape.text)
            #expect(status == 0 && output == "", "\(output)")
        }
    }

    @Test func `promtool does find mistakes`() async throws {
        let (status, output) = try await run(["check", "metrics"], input: "# TYPE x counter\nx 1\n")
        #expect(status != 0 && output.contains("_total"), "\(output)")
    }

    @Test func `the rules of the documentation are rules`() async throws {
        let rules = root.appending(path: "config/prometheus/gloss-rules.yml").path
        let (status, output) = try await run(["check", "rules", rules])
        #expect(status == 0 && output.contains("SUCCESS"), "\(output)")
    }
}
