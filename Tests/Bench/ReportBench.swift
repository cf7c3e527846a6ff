import Foundation

/// The reports over all events that were caught up with, beside one pass of journalctl over the same journal, which is
/// what anything that counts without a store must begin with.
struct ReportBench {
    let daemon: BenchDaemon
    /// For one pass.
    let journalctl: Duration

    func measure() throws -> [BenchResult] {
        let clock = ContinuousClock()
        let slowest =
            try ["undefined", "unseen", "violations", "obsolete"].map { report in
                var times: [Double] = []
                for _ in 0..<9 {
                    var reply: Data?
                    times.append(
                        clock.measure { reply = get("/v1/reports/\(report)", socket: daemon.socket) } / .milliseconds(1)
                    )
                    guard let reply, let json = try? JSONSerialization.jsonObject(with: reply) as? [String: Any],
                        json["rows"] is [Any]
                    else { throw BenchError("no report \(report)") }
                }
                return median(times)
            }.max() ?? 0
        return [
            BenchResult(
                what: "slowest report, ms", ours: rounded(slowest), other: rounded(journalctl / .milliseconds(1)),
                otherName: "journalctl -o json, one pass", ratio: journalctl / .milliseconds(1) / slowest,
                target: "50 ms")
        ]
    }
}
