import Foundation
import TestSupport

/// By how much the reload of 10,000 definitions holds up the events that come in meanwhile: the longest tail latency
/// while definition files change, beside the longest while they do not.
struct ReloadBench {
    let place: BenchPlace

    private static let reloads = 5
    /// From one to the next.
    private static let pause = Duration.seconds(2)

    func run() async throws -> [BenchResult] {
        try await place.withFolder("reload") { folder in
            let dictionary = try GeneratedDictionary(files: 1000, eventsPerFile: 10, under: folder)
            return try await PrivateJournald.withOne { try await measure($0, dictionary) }
        }
    }

    private func measure(
        _ journald: PrivateJournald, _ dictionary: GeneratedDictionary
    ) async throws -> [BenchResult] {
        let daemon = try BenchDaemon(
            place, BenchSettings(journal: .namespace(journald.namespace), definitions: dictionary.folder))
        try await daemon.startAndWait()
        let tail = try LinePrinter(daemon.glossctl(place, ["tail", "-n", "0", "-o", "ndjson"]))
        let sender = NumberedMessages(journald: journald, category: "ActivityLog")
        try await sender.begin([tail])
        let before = daemon.status()?.version
        let (sent, quiet) = try await send(sender, dictionary)
        try await sender.end([tail], sent.count)
        try await daemon.rest()
        guard let version = daemon.status()?.version, version != before else {
            throw BenchError("the edits were not taken up")
        }
        let latencies = try tail.stop().latencies(of: sent)
        try daemon.stop()
        return [result(calm: latencies[..<quiet].max() ?? .nan, busy: latencies[quiet...].max() ?? .nan)]
    }

    private func result(calm: Double, busy: Double) -> BenchResult {
        BenchResult(
            "longest tail latency during \(Self.reloads) reloads, ms", rounded(busy),
            beside: (rounded(calm), "without reloads"), goal: "50 ms more")
    }

    /// - Returns: when each was sent, and how many were while nothing was edited.
    private func send(
        _ sender: NumberedMessages, _ dictionary: GeneratedDictionary
    ) async throws -> (sent: [ContinuousClock.Instant], quiet: Int) {
        var sent: [ContinuousClock.Instant] = []
        try await send(sender, &sent)
        let quiet = sent.count
        let edits = Task { try await edit(dictionary) }
        try await send(sender, &sent)
        try await edits.value
        return (sent, quiet)
    }

    private func edit(_ dictionary: GeneratedDictionary) async throws {
        for number in 0..<Self.reloads {
            try dictionary.write(number, remark: "Edit \(number).")
            try await Task.sleep(for: Self.pause)
        }
    }

    private func send(_ sender: NumberedMessages, _ sent: inout [ContinuousClock.Instant]) async throws {
        let end = ContinuousClock.now + Self.pause * Self.reloads
        while ContinuousClock.now < end {
            try sender.send(&sent)
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
