import Foundation

/// From an empty store to all entries read, resolved and committed, against `journalctl -o json` over the same journal.
struct CatchUpBench {
    let journal: GeneratedJournal
    let daemon: BenchDaemon

    init(journal: GeneratedJournal, daemon: BenchDaemon) throws {
        self.journal = journal
        self.daemon = daemon
    }

    /// Leaves the daemon running. Also gives what one pass of journalctl took.
    func run() async throws -> (results: [BenchResult], journalctl: Duration) {
        let clock = ContinuousClock()
        let reading = try clock.measure { try journalctlToNowhere() }
        let theirs = Double(journal.entries) / (reading / .seconds(1))

        let start = clock.now
        try daemon.start()
        var peak = 0
        var finished: ContinuousClock.Instant?
        while finished == nil {
            guard clock.now - start < .seconds(600) else { throw BenchError("glossd did not catch up in 10 minutes") }
            if let memory = daemon.memory() { peak = max(peak, memory.anonymous) }
            // Asking costs time of its own: look at the memory often, at the count seldom.
            if Int((clock.now - start) / .milliseconds(5)) % 10 == 0, storedEvents() == journal.events {
                finished = clock.now
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        let ours = Double(journal.entries) / ((finished! - start) / .seconds(1))
        let bytes = try storeBytes()
        let results = [
            BenchResult(
                what: "catch-up, entries/s", ours: thousands(ours), other: thousands(theirs),
                otherName: "journalctl -o json", ratio: ours / theirs, target: "8"),
            BenchResult(
                what: "peak RssAnon while catching up", ours: "\(megabytes(peak)) MB", other: "", otherName: "",
                ratio: nil, target: "40 MB"),
            BenchResult(
                what: "bytes per event on disk", ours: "\(bytes / journal.events)",
                other: "\(try journalBytes() / journal.entries)", otherName: "journal files, per entry", ratio: nil,
                target: ""),
        ]
        return (results, reading)
    }

    private func journalctlToNowhere() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["journalctl", "-D", journal.folder.path, "-o", "json", "--no-pager"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("journalctl failed") }
    }

    private func storedEvents() -> Int? {
        (daemon.status()?["events"] as? [String: Any])?["stored"] as? Int
    }

    private func storeBytes() throws -> Int {
        try ["events.sqlite", "events.sqlite-wal"].reduce(0) { sum, name in
            let path = daemon.folder.appending(path: name).path
            return sum + ((try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }

    private func journalBytes() throws -> Int {
        try FileManager.default.contentsOfDirectory(at: journal.folder, includingPropertiesForKeys: [.fileSizeKey])
            .reduce(0) { $0 + ((try $1.resourceValues(forKeys: [.fileSizeKey])).fileSize ?? 0) }
    }

    private func megabytes(_ bytes: Int) -> Double { (Double(bytes) / 1e5).rounded() / 10 }
}
