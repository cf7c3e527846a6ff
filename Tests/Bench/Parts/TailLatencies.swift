import Foundation
import TestSupport

/// How long messages took to be printed by `glossctl tail` and by `journalctl -f`, in milliseconds.
struct TailLatencies {
    var ours: [Double]
    var theirs: [Double]

    /// Sends messages now and then, of a category that nothing else has.
    static func measure(
        _ messages: Int, _ daemon: BenchDaemon, _ journald: PrivateJournald, _ place: BenchPlace
    ) async throws -> TailLatencies {
        let ours = try LinePrinter(
            daemon.glossctl(place, ["tail", "-n", "0", "-o", "ndjson", "--category", "Bench"]))
        let theirs = try LinePrinter(
            Command(
                "/usr/bin/journalctl",
                ["--namespace", journald.namespace, "-f", "-n", "0", "-o", "cat", "CATEGORY=Bench"]))
        let sender = NumberedMessages(journald: journald, category: "Bench")
        try await sender.begin([ours, theirs])
        var sent: [ContinuousClock.Instant] = []
        for _ in 0..<messages {
            try sender.send(&sent)
            try await Task.sleep(for: .milliseconds(.random(in: 30...130)))
        }
        try await sender.end([ours, theirs], sent.count)
        return TailLatencies(ours: try ours.stop().latencies(of: sent), theirs: try theirs.stop().latencies(of: sent))
    }

    func result(_ percent: Int, _ when: String, goal: String = "") -> BenchResult {
        BenchResult(
            milliseconds: "tail latency p\(percent)\(when)", percentile(percent, of: ours),
            beside: (percentile(percent, of: theirs), "journalctl -f"), goal: goal)
    }
}
