import Foundation

/// Everything as NDJSON, to a client that only counts lines.
struct ExportBench {
    let place: BenchPlace
    let journal: GeneratedJournal
    let daemon: BenchDaemon

    /// What takes seconds is done less often.
    private static let limit = Duration.seconds(15)

    func run() async throws -> [BenchResult] { try await everything() + [try byCommand()] }

    private func everything() async throws -> [BenchResult] {
        let (mark, goals) = (journal.workload.mark, journal.workload.goals)
        let (time, peak) = try await MemoryWatch.peak(of: daemon.usage) {
            try Timing.median(within: Self.limit) { try read() }
        }
        return [
            BenchResult("\(mark)everything as NDJSON, events/s", rate(time), goal: goals.everything),
            BenchResult("\(mark)RssAnon meanwhile", megabytes(peak), goal: goals.everythingMemory),
        ]
    }

    private func byCommand() throws -> BenchResult {
        let show = daemon.glossctl(place, ["show", "-n", "all", "-o", "ndjson"])
        try check(try show.lineCount(), "glossctl show")
        let time = try Timing.median(within: Self.limit) { try show.toNowhere() }
        return BenchResult("\(journal.workload.mark)the same by glossctl, events/s", rate(time))
    }

    private func read() throws {
        try check(try daemon.client.lineCount("/v1/events?n=all&order=oldest"), "GET /v1/events")
    }

    private func check(_ lines: Int, _ what: String) throws {
        guard lines == journal.events else { throw BenchError("\(lines) lines instead of \(journal.events): \(what)") }
    }

    private func rate(_ milliseconds: Double) -> String { thousands(Double(journal.events) / milliseconds * 1000) }
}
