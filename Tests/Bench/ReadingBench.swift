import Foundation
import Journal
import Model

/// Reading alone: every entry decided upon by the rules, events with their payloads, nothing resolved or stored. Beside it
/// a C program that enumerates the same journal's fields by libsystemd.
struct ReadingBench {
    private static let rounds = 3

    let programs: URL
    let journal: GeneratedJournal

    /// In turn, the best of each: the first one reads the files from the disk.
    func run() async throws -> [BenchResult] {
        let clock = ContinuousClock()
        var (ours, theirs) = (Duration.seconds(3600), Duration.seconds(3600))
        for _ in 0..<Self.rounds {
            ours = min(ours, try await clock.measure { try await read() })
            theirs = min(theirs, try clock.measure { try enumerate() })
        }
        let rates = [ours, theirs].map { Double(journal.entries) / ($0 / .seconds(1)) }
        return [
            BenchResult(
                what: "reading alone, entries/s", ours: thousands(rates[0]), other: thousands(rates[1]),
                otherName: "C program, libsystemd", ratio: rates[0] / rates[1], target: "3")
        ]
    }

    private func read() async throws {
        let rule = SourceRule(
            conditions: [.init(field: "SUBSYSTEM", value: Glob("com.example.*"))], name: nil, text: "bench")
        let reader = await JournalReader(
            options: JournalOptions(
                location: .directory(journal.folder.path), start: .oldest, maximumFieldBytes: 1 << 20),
            rules: [rule], from: nil)
        var (read, taken) = (0, 0)
        while true {
            let batch = await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            read += batch.entriesRead
            taken += batch.entries.count
            if batch.reachedEnd { break }
        }
        guard read == journal.entries, taken == journal.events else {
            throw BenchError("\(read) of \(journal.entries) entries and \(taken) of \(journal.events) events were read")
        }
    }

    private func enumerate() throws {
        let output = try gloss_bench.run(programs.appending(path: "gloss-enumerate").path, [journal.folder.path])
        guard String(decoding: output, as: UTF8.self).hasPrefix("\(journal.entries) entries") else {
            throw BenchError("libsystemd did not read all: \(String(decoding: output, as: UTF8.self))")
        }
    }
}

/// What many files cost: 201 that follow each other, beside two, and those of 200 hosts in one folder, all of the same time.
struct ManyFilesBench {
    private static let entries = 100_000

    let programs: URL
    let work: URL

    func run() async throws -> [BenchResult] {
        let few = try GeneratedJournal(entries: Self.entries, files: 2, under: work)
        let many = try GeneratedJournal(entries: Self.entries, files: 200, areSideBySide: true, under: work)
        let rotated = try GeneratedJournal(entries: Self.entries, files: 201, under: work)
        let (fewFirst, _, _) = try await catchUp(few)
        let (manyFirst, _, _) = try await catchUp(rotated)
        let (_, rate, memory) = try await catchUp(many)
        return [
            BenchResult(
                what: "201 files: first event stored after", ours: "\(milliseconds(manyFirst)) ms",
                other: "\(milliseconds(fewFirst)) ms", otherName: "Gloss, 2 files", ratio: fewFirst / manyFirst,
                target: "1"),
            BenchResult(
                what: "200 hosts: catch-up, entries/s", ours: thousands(rate), other: "", otherName: "", ratio: nil,
                target: ""),
            BenchResult(
                what: "200 hosts: peak RssAnon", ours: "\((Double(memory) / 1e5).rounded() / 10) MB", other: "",
                otherName: "", ratio: nil, target: "12 MB"),
        ]
    }

    private func catchUp(
        _ journal: GeneratedJournal
    ) async throws -> (first: Duration, entriesPerSecond: Double, memory: Int) {
        let daemon = try BenchDaemon(programs: programs, journal: .directory(journal.folder.path))
        let clock = ContinuousClock()
        let start = clock.now
        try daemon.start()
        var (first, memory) = (Duration?.none, 0)
        while true {
            guard clock.now - start < .seconds(120) else { throw BenchError("glossd did not catch up in 2 minutes") }
            if let usage = daemon.memory() { memory = max(memory, usage.anonymous) }
            let stored = (daemon.status()?["events"] as? [String: Any])?["stored"] as? Int ?? 0
            if stored > 0, first == nil { first = clock.now - start }
            if stored == journal.events { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        let time = (clock.now - start) / .seconds(1)
        try daemon.stop()
        return (first ?? .zero, Double(journal.entries) / time, memory)
    }

    private func milliseconds(_ duration: Duration) -> Double { (duration / .milliseconds(1) * 10).rounded() / 10 }
}
