import Foundation
import TestSupport

/// What single events cost as they come: processor time and what is written to the disk.
struct LiveBench {
    let place: BenchPlace

    private static let time = Duration.seconds(20)
    private static let perSecond = 500

    func run() async throws -> [BenchResult] {
        try await PrivateJournald.withOne { journald in
            try await place.withFolder("live") { definitions in
                try UniformWorkload().writeDefinitions(to: definitions)
                let daemon = try BenchDaemon(
                    place, BenchSettings(journal: .namespace(journald.namespace), definitions: definitions))
                try await daemon.startAndWait()
                try await daemon.rest()
                let results = try await measure(daemon, journald)
                try daemon.stop()
                return results
            }
        }
    }

    private func measure(_ daemon: BenchDaemon, _ journald: PrivateJournald) async throws -> [BenchResult] {
        let written = daemon.usage.writtenBytes ?? 0
        let start = ContinuousClock.now
        var sent = 0
        let percent = try await ProcessorShare.percent(of: daemon.usage) {
            sent = try await send(journald)
        }
        let rate = Double(sent) / ((ContinuousClock.now - start) / .seconds(1))
        try await wait(for: "\(sent) events to be stored") { daemon.status()?.stored == sent }
        let bytes = ((daemon.usage.writtenBytes ?? 0) - written) / sent
        return [
            BenchResult("\(Int(rate.rounded())) single events/s, % of one core", rounded(percent), goal: "5 %"),
            BenchResult("the same, bytes written to disk per event", "\(bytes)"),
        ]
    }

    /// One after the other, each when it is its turn.
    private func send(_ journald: PrivateJournald) async throws -> Int {
        let start = ContinuousClock.now
        let count = Self.perSecond * Int(Self.time / .seconds(1))
        for number in 0..<count {
            try await Task.sleep(until: start + .seconds(1) * number / Self.perSecond)
            try journald.send([
                "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": UniformWorkload.payload(number),
            ])
        }
        return count
    }
}
