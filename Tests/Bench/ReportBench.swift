import Foundation

/// The reports over millions of events, by a daemon over its socket, beside one pass of journalctl over as many entries,
/// which is what anything that counts without a store must begin with.
struct ReportBench {
    let programs: URL
    let work: URL
    let events: Int
    /// For one pass over an entry.
    let journalctl: Duration

    func run() async throws -> [BenchResult] {
        let folder = work.appending(path: "reports-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let dictionary = try GeneratedDictionary(files: 1000, eventsPerFile: 10, under: folder)
        let journal = folder.appending(path: "journal")
        try FileManager.default.createDirectory(at: journal, withIntermediateDirectories: true)
        let daemon = try BenchDaemon(
            programs: programs, journal: .directory(journal.path), definitions: dictionary.folder)
        let store = try await FilledStore(
            events: events, dictionary: dictionary, path: daemon.folder.appending(path: "events.sqlite").path)
        try daemon.start()
        while daemon.status() == nil { try await Task.sleep(for: .milliseconds(50)) }
        let results = try measure(daemon, store)
        try daemon.stop()
        return results
    }

    private func measure(_ daemon: BenchDaemon, _ store: FilledStore) throws -> [BenchResult] {
        let kinds = ["undefined", "unseen", "violations", "obsolete"]
        let onePass = journalctl * events / .milliseconds(1)
        func slowest(_ filter: String) throws -> Double {
            try kinds.map { try time("/v1/reports/\($0)?n=1000\(filter)", daemon) }.max() ?? 0
        }
        func row(_ what: String, _ time: Double, target: String = "50") -> BenchResult {
            BenchResult(
                what: "\(what), ms", ours: rounded(time), other: rounded(onePass),
                otherName: "journalctl -o json, one pass", ratio: onePass / time, target: target)
        }
        return [
            BenchResult(
                what: "saved, events/s, one in ten violating",
                ours: thousands(Double(events) / (store.saving / .seconds(1))), other: "", otherName: "", ratio: nil,
                target: ""),
            row("slowest report over \(events) events", try slowest("")),
            row("the same of one level", try slowest("&level=warning")),
            row("the same of the last tenth of the time", try slowest("&since=\(store.lastTenth)")),
            row("the same of all the time", try slowest("&since=1"), target: ""),
        ]
    }

    private func time(_ path: String, _ daemon: BenchDaemon) throws -> Double {
        var times: [Double] = []
        for _ in 0..<9 {
            var reply: Data?
            times.append(
                ContinuousClock().measure { reply = get(path, socket: daemon.socket) } / .milliseconds(1))
            guard let reply, let json = try? JSONSerialization.jsonObject(with: reply) as? [String: Any],
                let rows = json["rows"] as? [Any], !rows.isEmpty
            else { throw BenchError("no answer, or no rows: \(path)") }
        }
        print("  \(path): \(rounded(median(times))) ms")
        return median(times)
    }
}
