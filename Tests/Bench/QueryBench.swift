import Foundation

/// The last 100 events of a category, as whole commands, in turns.
struct QueryBench {
    let journal: GeneratedJournal
    let daemon: BenchDaemon

    func measure() throws -> [BenchResult] {
        var ours: [Double] = []
        var theirs: [Double] = []
        let clock = ContinuousClock()
        for _ in 0..<15 {
            var lines = 0
            ours.append(
                try clock.measure {
                    lines = try count(
                        daemon.output(
                            of: "glossctl",
                            [
                                "--socket", daemon.socket, "show", "--category", "ActivityLog", "-n", "100", "-o",
                                "ndjson",
                            ]))
                } / .milliseconds(1))
            guard lines == 100 else { throw BenchError("glossctl show gave \(lines) lines, not 100") }
            theirs.append(
                try clock.measure {
                    lines = try count(
                        Self.journalctl([
                            "-D", journal.folder.path, "CATEGORY=ActivityLog", "-n", "100", "-o", "json", "--no-pager",
                        ]))
                } / .milliseconds(1))
            guard lines == 100 else { throw BenchError("journalctl gave \(lines) lines, not 100") }
        }
        let (mine, other) = (median(ours), median(theirs))
        return [
            BenchResult(
                what: "last 100 of a category, ms", ours: rounded(mine), other: rounded(other),
                otherName: "journalctl -o json -n 100", ratio: other / mine, target: "1")
        ]
    }

    private static func journalctl(_ arguments: [String]) throws -> Data {
        try run("journalctl", arguments)
    }

    private func count(_ data: Data) -> Int { data.count { $0 == UInt8(ascii: "\n") } }
}

func median(_ values: [Double]) -> Double { percentile(50, of: values) }

func percentile(_ percent: Int, of values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[min(sorted.count * percent / 100, sorted.count - 1)]
}

func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
