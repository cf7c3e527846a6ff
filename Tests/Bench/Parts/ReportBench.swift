import Foundation

/// The reports over millions of events, by a daemon over its socket, beside one pass of journalctl over as many entries,
/// which is what anything that counts without a store must begin with.
struct ReportBench {
    let place: BenchPlace
    let events: Int
    /// For one pass over an entry, in milliseconds; `nil` when it was not measured.
    let journalctl: Double?

    private static let goal = "50 ms"

    func run() async throws -> [BenchResult] {
        try await place.withFolder("reports") { folder in
            let dictionary = try GeneratedDictionary(files: 1000, eventsPerFile: 10, under: folder)
            let daemon = try BenchDaemon.withoutJournal(place, folder, definitions: dictionary.folder)
            return try await measure(daemon, ReportedEvents(count: events, of: dictionary), dictionary.folder)
        }
    }

    private func measure(
        _ daemon: BenchDaemon, _ reported: ReportedEvents, _ definitions: URL
    ) async throws -> [BenchResult] {
        let store = FilledStore(path: daemon.store, definitions: definitions)
        let saving = try await store.fill(with: reported, count: events)
        try await daemon.startAndWait()
        try await daemon.rest()
        let reports = ReportTimes(client: daemon.client)
        let slowest = try reported.filters.map { try row($0, try reports.slowest($0)) }
        try daemon.stop()
        let rate = Double(events) / (saving / .seconds(1))
        return [BenchResult("saved, events/s, one in ten violating", thousands(rate))] + slowest
    }

    private func row(_ filter: ReportTimes.Filter, _ slowest: (kind: String, time: Double)) throws -> BenchResult {
        BenchResult(
            milliseconds: "slowest report over \(events) events\(filter.what) (\(slowest.kind))", slowest.time,
            beside: journalctl.map { ($0 * Double(events), "journalctl -o json, one pass") }, goal: Self.goal)
    }
}
