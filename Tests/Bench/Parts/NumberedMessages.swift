import Foundation
import TestSupport

/// Messages with a number, so that each can be found in what is printed.
struct NumberedMessages {
    let journald: PrivateJournald
    let category: String

    private static let text = " of the bench"

    /// Sends something until all print what comes.
    func begin(_ printers: [LinePrinter]) async throws {
        try await wait(for: "tails to begin", every: .milliseconds(100)) {
            try send("Has it begun?")
            return printers.allSatisfy { $0.count(of: "Has it begun?") > 0 }
        }
    }

    /// Sends the next one.
    func send(_ sent: inout [ContinuousClock.Instant]) throws {
        sent.append(.now)
        try send("number \(sent.count - 1)\(Self.text)")
    }

    /// Waits until all have printed so many.
    func end(_ printers: [LinePrinter], _ count: Int) async throws {
        try await wait(for: "\(count) messages to be printed", every: .milliseconds(200)) {
            printers.allSatisfy { $0.count(of: Self.text) >= count }
        }
    }

    private func send(_ message: String) throws {
        try journald.send(["SUBSYSTEM": "com.example.shop", "CATEGORY": category, "MESSAGE": message])
    }
}

extension [LinePrinter.Line] {
    /// In milliseconds, in the order of sending.
    func latencies(of sent: [ContinuousClock.Instant]) throws -> [Double] {
        let latencies = compactMap { line -> Double? in
            guard let match = line.text.firstMatch(of: /number (\d+) of the bench/), let number = Int(match.output.1)
            else { return nil }
            return (line.time - sent[number]) / .milliseconds(1)
        }
        guard latencies.count == sent.count else {
            throw BenchError("\(latencies.count) of \(sent.count) messages were printed")
        }
        return latencies
    }
}
