import Foundation
import Journal
import Model

/// Reading alone: every entry decided upon by the rules, events with their payloads, nothing resolved or stored. Beside it
/// a C program that enumerates the same journal's fields by libsystemd.
struct ReadingBench {
    let place: BenchPlace
    let journal: GeneratedJournal

    /// In turn, as the machine is not equally fast all the time: the round whose ratio is the median. One before them reads
    /// the files from the disk.
    func run() async throws -> [BenchResult] {
        try await read()
        var rounds: [(ours: Double, theirs: Double)] = []
        for _ in 0..<Timing.goes { rounds.append(try await round()) }
        let median = rounds.sorted { $0.ours / $0.theirs < $1.ours / $1.theirs }[Timing.goes / 2]
        return [
            BenchResult(
                "reading alone, entries/s", thousands(median.ours),
                beside: (thousands(median.theirs), "libsystemd alone"), ratio: median.ours / median.theirs,
                goal: "ratio 3")
        ]
    }

    private func round() async throws -> (ours: Double, theirs: Double) {
        let clock = ContinuousClock()
        let ours = try await clock.measure { try await read() }
        let theirs = try clock.measure { try Enumeration(place: place, journal: journal).run() }
        return (rate(ours), rate(theirs))
    }

    private func rate(_ time: Duration) -> Double { Double(journal.entries) / (time / .seconds(1)) }

    private func read() async throws {
        let reader = await reader()
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

    private func reader() async -> JournalReader {
        let rule = SourceRule(
            conditions: [.init(field: "SUBSYSTEM", value: Glob("com.example.*"))], name: nil, text: "bench")
        return await JournalReader(
            options: JournalOptions(
                location: .directory(journal.folder.path), start: .oldest, maximumFieldBytes: 1 << 20),
            rules: [rule], from: nil)
    }
}
