import Foundation

/// Whole categories and everything, as NDJSON, to a client that only counts lines.
struct ExportBench {
    let place: BenchPlace
    let journal: GeneratedJournal
    let daemon: BenchDaemon

    /// What takes seconds is done less often.
    private static let limit = Duration.seconds(15)

    func run() async throws -> [BenchResult] {
        let probes = journal.workload.probes
        let category = try probes.wholeCategory.map {
            try self.category(probes.of(category: $0, "all of one category"))
        }
        return (category.map { [$0] } ?? []) + (try await everything()) + [try byCommand()]
    }

    private func category(_ probe: Probe) throws -> BenchResult {
        let expected = probe.count(in: journal.events)
        let command = Command.journalctl(journal, probe.journalctl ?? [])
        let (ours, theirs) = try Timing.medians(
            ours: { try read("&\(probe.query)", expected) },
            theirs: { try check(try command.lineCount(), expected, "journalctl") })
        return BenchResult(
            milliseconds: "\(journal.workload.mark)\(probe.what), \(expected) events", ours,
            beside: (theirs, "journalctl -o json"), goal: "ratio 10")
    }

    private func everything() async throws -> [BenchResult] {
        let (mark, goals) = (journal.workload.mark, journal.workload.goals)
        let (time, peak) = try await MemoryWatch.peak(of: daemon.usage) {
            try Timing.median(within: Self.limit) { try read("", journal.events) }
        }
        return [
            BenchResult("\(mark)everything as NDJSON, events/s", rate(time), goal: goals.everything),
            BenchResult("\(mark)RssAnon meanwhile", megabytes(peak), goal: goals.everythingMemory),
        ]
    }

    private func byCommand() throws -> BenchResult {
        let show = daemon.glossctl(place, ["show", "-n", "all", "-o", "ndjson"])
        try check(try show.lineCount(), journal.events, "glossctl show")
        let time = try Timing.median(within: Self.limit) { try show.toNowhere() }
        return BenchResult("\(journal.workload.mark)the same by glossctl, events/s", rate(time))
    }

    private func read(_ query: String, _ expected: Int) throws {
        try check(try daemon.client.lineCount("/v1/events?n=all&order=oldest\(query)"), expected, query)
    }

    private func check(_ lines: Int, _ expected: Int, _ what: String) throws {
        guard lines == expected else { throw BenchError("\(lines) lines instead of \(expected): \(what)") }
    }

    private func rate(_ milliseconds: Double) -> String { thousands(Double(journal.events) / milliseconds * 1000) }
}
