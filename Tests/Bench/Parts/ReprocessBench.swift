import Foundation
import Model
import TestSupport

/// How long it takes until all stored events are reprocessed, when a file of definitions has changed and a reload is
/// requested: events that break their definition, before and after.
struct ReprocessBench {
    let place: BenchPlace
    let events: Int

    /// After one that is not counted; fewer when they take longer than this together.
    private static let goes = Timing.goes
    private static let time = Duration.seconds(40)
    private static let types = ["smallint", "integer"]

    func run() async throws -> [BenchResult] {
        try await place.withFolder("reprocess") { folder in
            let dictionary = try GeneratedDictionary(files: 1, eventsPerFile: 10, under: folder)
            let daemon = try BenchDaemon.withoutJournal(place, folder, definitions: dictionary.folder)
            let store = FilledStore(path: daemon.store, definitions: dictionary.folder)
            _ = try await store.fill(with: ViolatingEvents(dictionary: dictionary), count: events)
            return try await measure(daemon, dictionary)
        }
    }

    private func measure(_ daemon: BenchDaemon, _ dictionary: GeneratedDictionary) async throws -> [BenchResult] {
        try await daemon.startAndWait()
        try await daemon.rest()
        var times = [try await go(1, daemon, dictionary)]
        let start = ContinuousClock.now
        repeat {
            times.append(try await go(times.count + 1, daemon, dictionary))
        } while times.count <= Self.goes && ContinuousClock.now - start < Self.time
        try daemon.stop()
        let time = median(Array(times.dropFirst())) / 1000
        return [BenchResult("\(events) events reprocessed, s", rounded(time), goal: "10 s")]
    }

    /// In milliseconds.
    private func go(_ number: Int, _ daemon: BenchDaemon, _ dictionary: GeneratedDictionary) async throws -> Double {
        let before = daemon.status()?.version
        let type = Self.types[number % Self.types.count]
        let start = ContinuousClock.now
        try dictionary.write(0, positionType: type)
        try daemon.client.post("/v1/reload")
        guard let version = daemon.status()?.version, version != before else {
            throw BenchError("the new definitions are not in force")
        }
        try await wait(for: "all to be reprocessed", atMost: .seconds(300)) {
            try isDone(daemon, version)
        }
        let time = (ContinuousClock.now - start) / .milliseconds(1)
        try check(daemon, type)
        return time
    }

    /// It goes from the oldest to the newest: the newest of all has the new version last.
    private func isDone(_ daemon: BenchDaemon, _ version: String) throws -> Bool {
        let newest = try daemon.client.json("/v1/events?n=1")
        return newest["definitions_version"] as? String == version && daemon.status()?.isReprocessing == false
    }

    /// All violate the current definition.
    private func check(_ daemon: BenchDaemon, _ type: String) throws {
        let oldest = try daemon.client.json("/v1/events?n=1&order=oldest")
        let expected = (oldest["violations"] as? [[String: Any]])?.first?["expected"] as? String
        let report = try daemon.client.json("/v1/reports/violations?since=1")
        let counts = (report["rows"] as? [[String: Any]])?.compactMap { $0["count"] as? Int } ?? []
        guard expected == type, counts.reduce(0, +) == events else {
            throw BenchError("\(counts) events break their definition, which asks for \(expected ?? "nothing")")
        }
    }
}

/// Ten kinds of events, all of which break their definition.
private struct ViolatingEvents: StoredEvents {
    private let payloads: [[UInt8]]
    private let origin = Origin(
        [
            .subsystem: "com.example.shop", .category: "ActivityLog", .host: "web1", .identifier: "shop",
            .unit: "shop.service", .processUID: "1000",
        ], bootID: ID128(high: 1, low: 2), seqnumID: ID128(high: 3, low: 4), source: "bench")

    init(dictionary: GeneratedDictionary) {
        payloads = (0..<10).map { kind in
            let good = String(decoding: dictionary.payload(kind), as: UTF8.self)
            return Array(good.replacing("\"position\":3", with: "\"position\":\"third\"").utf8)
        }
    }

    func origin(_ number: Int) -> Origin { origin }
    func payload(_ number: Int) -> [UInt8] { payloads[number % payloads.count] }
    func level(_ number: Int) -> Level { .notice }
}
