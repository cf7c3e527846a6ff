import Foundation
import TestSupport

/// The latency of a tail while the store is full of other events: blocks are packed, dropped to make room, and replaced as
/// their events are defined later.
struct BusyTailBench {
    let place: BenchPlace
    let messages: Int

    func run() async throws -> [BenchResult] {
        try await PrivateJournald.withOne { journald in
            try await place.withFolder("busy") { try await measure(TailLoad(journald: journald, definitions: $0)) }
        }
    }

    private func measure(_ load: TailLoad) async throws -> [BenchResult] {
        try load.prepare()
        let daemon = try BenchDaemon(
            place,
            BenchSettings(
                journal: .namespace(load.journald.namespace), definitions: load.definitions, maximumSize: "16MiB"))
        try await daemon.startAndWait()
        try await fill(daemon, load)
        let before = daemon.status()
        let latencies = try await latencies(daemon, load)
        try check(before, daemon.status())
        try daemon.stop()
        let when = " while blocks are packed, replaced and dropped"
        return [latencies.result(50, when), latencies.result(99, when, goal: "20 ms")]
    }

    /// Until events are dropped, and all that was sent has been read.
    private func fill(_ daemon: BenchDaemon, _ load: TailLoad) async throws {
        var sent = 0
        try await wait(for: "the store to be full", atMost: .seconds(120)) {
            for _ in 0..<500 { try load.send(stage: 0) }
            sent += 500
            return daemon.status().map { $0.stored < $0.newestID } ?? false
        }
        try await wait(for: "the rest to be read") { daemon.status()?.newestID == sent }
    }

    private func latencies(_ daemon: BenchDaemon, _ load: TailLoad) async throws -> TailLatencies {
        let sending = Task { try await load.run() }
        defer { sending.cancel() }
        return try await TailLatencies.measure(messages, daemon, load.journald, place)
    }

    /// That there was what the figure is about.
    private func check(_ before: DaemonStatus?, _ after: DaemonStatus?) throws {
        guard let before, let after else { throw BenchError("glossd does not answer") }
        let packed = after.newestID - before.newestID
        let dropped = (after.newestID - after.stored) - (before.newestID - before.stored)
        let replaced = after.reprocessed - before.reprocessed
        say("  \(packed) events came, \(dropped) were dropped, \(replaced) reprocessed")
        guard packed > 4096, dropped > 0, replaced > 0 else { throw BenchError("blocks did not change meanwhile") }
    }
}
