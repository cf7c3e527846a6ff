import Foundation
import JSON

/// The scanner against Foundation's parser, on payloads of about 250 bytes.
struct ScannerBench {
    func run() -> [BenchResult] {
        let payloads = (0..<2000).map { Array(UniformWorkload.payload($0).utf8) }
        let data = payloads.map { Data($0) }
        var scanned = 0
        var parsed = 0
        // In turns, so that a change of the machine's speed meets both.
        var ours = Duration.zero
        var theirs = Duration.zero
        let clock = ContinuousClock()
        for _ in 0..<10 {
            ours += clock.measure {
                var members: [JSONMember] = []
                for _ in 0..<5 {
                    for payload in payloads {
                        let error = payload.withUnsafeBytes {
                            JSONScanner.scanObject($0, into: &members)
                        }
                        if error == nil { scanned += 1 }
                    }
                }
            }
            theirs += clock.measure {
                for payload in data where (try? JSONSerialization.jsonObject(with: payload)) is [String: Any] {
                    parsed += 1
                }
            }
        }
        let oursPerSecond = Double(scanned) / (ours / .seconds(1))
        let theirsPerSecond = Double(parsed) / (theirs / .seconds(1))
        return [
            BenchResult(
                "scanner, payloads/s", thousands(oursPerSecond),
                beside: (thousands(theirsPerSecond), "JSONSerialization"), ratio: oursPerSecond / theirsPerSecond,
                goal: "ratio 5")
        ]
    }
}
