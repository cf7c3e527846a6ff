import Foundation
import TestSupport

/// From sending a message to its line being printed: `glossctl tail` and `journalctl -f` side by side, on the same
/// messages of the same journald, which has nothing else to do.
struct TailBench {
    let place: BenchPlace
    let messages: Int

    func run() async throws -> [BenchResult] {
        try await PrivateJournald.withOne { journald in
            try await place.withFolder("tail") { try await measure(journald, definitions: $0) }
        }
    }

    private func measure(_ journald: PrivateJournald, definitions: URL) async throws -> [BenchResult] {
        try UniformWorkload().writeDefinitions(to: definitions)
        let daemon = try BenchDaemon(
            place, BenchSettings(journal: .namespace(journald.namespace), definitions: definitions))
        try await daemon.startAndWait()
        let latencies = try await TailLatencies.measure(messages, daemon, journald, place)
        try daemon.stop()
        return [latencies.result(50, ""), latencies.result(99, "", goal: "ratio 10")]
    }
}
