import Foundation

/// What many files cost: 201 that follow each other, beside two, and those of 200 hosts in one folder, all of the same time.
struct ManyFilesBench {
    private static let entries = 100_000
    private static let starts = 5

    let place: BenchPlace

    private struct Go {
        /// Until an event was stored, in milliseconds.
        var first: Double
        var entriesPerSecond: Double
        var peakBytes: Int
    }

    func run() async throws -> [BenchResult] {
        try await place.withFolder("definitions") { definitions in
            try UniformWorkload().writeDefinitions(to: definitions)
            return [try await first(definitions)] + (try await hosts(definitions))
        }
    }

    /// In turn, as the machine is not equally fast all the time.
    private func first(_ definitions: URL) async throws -> BenchResult {
        let (few, rotated) = (try journal(JournalFiles(count: 2)), try journal(JournalFiles(count: 201)))
        var (fewTimes, rotatedTimes) = ([Double](), [Double]())
        for _ in 0..<Self.starts {
            fewTimes.append(try await catchUp(few, definitions).first)
            rotatedTimes.append(try await catchUp(rotated, definitions).first)
        }
        return BenchResult(
            milliseconds: "201 files: first event stored after", median(rotatedTimes),
            beside: (median(fewTimes), "Gloss, 2 files"), goal: "ratio 1")
    }

    private func hosts(_ definitions: URL) async throws -> [BenchResult] {
        let go = try await catchUp(try journal(JournalFiles(count: 200, areSideBySide: true)), definitions)
        return [
            BenchResult("200 hosts: catch-up, entries/s", thousands(go.entriesPerSecond)),
            BenchResult("200 hosts: peak RssAnon", megabytes(go.peakBytes), goal: "12 MB"),
        ]
    }

    private func journal(_ files: JournalFiles) throws -> GeneratedJournal {
        try GeneratedJournal(UniformWorkload(), entries: Self.entries, files: files, under: place.work)
    }

    private func catchUp(_ journal: GeneratedJournal, _ definitions: URL) async throws -> Go {
        let daemon = try BenchDaemon(
            place, BenchSettings(journal: .directory(journal.folder), definitions: definitions))
        let start = ContinuousClock.now
        func sinceStart() -> Double { (ContinuousClock.now - start) / .milliseconds(1) }
        try daemon.start()
        let (first, peak) = try await MemoryWatch.peak(of: daemon.usage) {
            try await stored(daemon, atLeast: 1)
            let first = sinceStart()
            try await stored(daemon, atLeast: journal.events)
            return first
        }
        let rate = Double(journal.entries) / sinceStart() * 1000
        try daemon.stop()
        return Go(first: first, entriesPerSecond: rate, peakBytes: peak)
    }

    private func stored(_ daemon: BenchDaemon, atLeast events: Int) async throws {
        try await wait(for: "\(events) events to be stored", atMost: .seconds(120), every: .milliseconds(2)) {
            daemon.status().map { $0.stored >= events } ?? false
        }
    }
}
