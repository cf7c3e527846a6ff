import Foundation
import Journal
import Model

/// Reading alone: every entry decided upon by the rules, events with their payloads, nothing resolved or stored. Beside it
/// a C program that enumerates the same journal's fields by libsystemd.
struct ReadingBench {
    private static let rounds = 7

    let programs: URL
    let journal: GeneratedJournal

    /// In turn, as the machine is not equally fast all the time: the round whose ratio is the median. One before them reads
    /// the files from the disk.
    func run() async throws -> [BenchResult] {
        let clock = ContinuousClock()
        try await read()
        var rounds: [(ours: Double, theirs: Double)] = []
        for _ in 0..<Self.rounds {
            let ours = try await clock.measure { try await read() }
            let theirs = try clock.measure { try enumerate() }
            rounds.append((rate(ours), rate(theirs)))
        }
        let median = rounds.sorted { $0.ours / $0.theirs < $1.ours / $1.theirs }[Self.rounds / 2]
        return [
            BenchResult(
                what: "reading alone, entries/s", ours: thousands(median.ours), other: thousands(median.theirs),
                otherName: "C program, libsystemd", ratio: median.ours / median.theirs, target: "3")
        ]
    }

    private func rate(_ time: Duration) -> Double { Double(journal.entries) / (time / .seconds(1)) }

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
    private static let starts = 5

    let programs: URL
    let work: URL

    func run() async throws -> [BenchResult] {
        let few = try GeneratedJournal(entries: Self.entries, files: 2, under: work)
        let many = try GeneratedJournal(entries: Self.entries, files: 200, areSideBySide: true, under: work)
        let rotated = try GeneratedJournal(entries: Self.entries, files: 201, under: work)
        var (fewFirst, manyFirst) = ([Duration](), [Duration]())
        for _ in 0..<Self.starts {
            fewFirst.append(try await catchUp(few).first)
            manyFirst.append(try await catchUp(rotated).first)
        }
        let (fewMedian, manyMedian) = (fewFirst.sorted()[Self.starts / 2], manyFirst.sorted()[Self.starts / 2])
        let (_, rate, memory) = try await catchUp(many)
        return [
            BenchResult(
                what: "201 files: first event stored after", ours: "\(milliseconds(manyMedian)) ms",
                other: "\(milliseconds(fewMedian)) ms", otherName: "Gloss, 2 files", ratio: fewMedian / manyMedian,
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
