import Foundation
import TestSupport

/// By how much the reload of 10,000 definitions holds up the events that come in meanwhile: the longest tail latency
/// while definition files change, beside the longest while they do not.
struct ReloadBench {
    let programs: URL
    let work: URL

    private static let reloads = 5

    func run() async throws -> [BenchResult] {
        let folder = work.appending(path: "reload-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let dictionary = try GeneratedDictionary(files: 1000, eventsPerFile: 10, under: folder)
        return try await PrivateJournald.withOne { try await measure($0, dictionary) }
    }

    private func measure(
        _ journald: PrivateJournald, _ dictionary: GeneratedDictionary
    ) async throws -> [BenchResult] {
        let daemon = try BenchDaemon(
            programs: programs, journal: .namespace(journald.namespace), definitions: dictionary.folder)
        try daemon.start()
        while daemon.status() == nil { try await Task.sleep(for: .milliseconds(50)) }
        let tail = try LinePrinter(
            programs.appending(path: "glossctl").path, ["--socket", daemon.socket, "tail", "-n", "0", "-o", "ndjson"])
        try await Task.sleep(for: .seconds(2))
        var sent: [ContinuousClock.Instant] = []
        try await send(for: .seconds(2 * Self.reloads), journald, &sent)
        let quiet = sent.count
        let before = try version(daemon)
        let edits = Task {
            for number in 0..<Self.reloads {
                try dictionary.write(number, remark: "Edit \(number).")
                try await Task.sleep(for: .seconds(2))
            }
        }
        try await send(for: .seconds(2 * Self.reloads), journald, &sent)
        try await edits.value
        try await Task.sleep(for: .seconds(2))
        guard try version(daemon) != before else { throw BenchError("the edits were not taken up") }
        let latencies = try tail.stop().latencies(of: sent, in: /number (\d+) of the reload bench/)
        try daemon.stop()
        let (calm, busy) = (latencies[..<quiet].max() ?? 0, latencies[quiet...].max() ?? 0)
        return [
            BenchResult(
                what: "longest tail latency during \(Self.reloads) reloads, ms", ours: rounded(busy),
                other: rounded(calm), otherName: "without reloads", ratio: nil, target: "50 more")
        ]
    }

    private func send(
        for time: Duration, _ journald: PrivateJournald, _ sent: inout [ContinuousClock.Instant]
    ) async throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            sent.append(ContinuousClock.now)
            try journald.send([
                "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog",
                "MESSAGE": "number \(sent.count - 1) of the reload bench",
            ])
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func version(_ daemon: BenchDaemon) throws -> String {
        let dictionaries = daemon.status()?["dictionaries"] as? [[String: Any]]
        guard let version = dictionaries?.first?["version"] as? String else { throw BenchError("no dictionary") }
        return version
    }
}
