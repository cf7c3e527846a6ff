import Foundation

/// A generated journal, daemons that catch up on it, and all that is asked of the last one.
struct WorkloadBench {
    let place: BenchPlace
    let journal: GeneratedJournal
    let parts: Set<BenchPart>
    /// Whether other programs are asked the same questions.
    let asksOthers: Bool

    private static let asked: Set<BenchPart> = [.queries, .sql]
    private static let ofOneDaemon = asked.union([.exports, .reports, .idle])

    /// - Returns: what journalctl takes for one pass, for each entry, in milliseconds; `nil` when it was not measured.
    func run(_ run: BenchRun) async throws -> Double? {
        try await place.withFolder("definitions") { definitions in
            try journal.workload.writeDefinitions(to: definitions)
            let catchUp = CatchUpBench(place: place, journal: journal, definitions: definitions)
            let journalctl = parts.contains(.journal) ? await measure(catchUp, run) : nil
            if !parts.isDisjoint(with: Self.ofOneDaemon) { try await ask(try await catchUp.daemon(), run) }
            return journalctl
        }
    }

    private func measure(_ catchUp: CatchUpBench, _ run: BenchRun) async -> Double? {
        var journalctl: Double?
        await run.part("Catching up on \(journal.entries) entries, \(journal.events) of them events") {
            let measured = try await catchUp.run()
            journalctl = measured.journalctl / Double(journal.entries)
            return measured.results
        }
        return journalctl
    }

    private func ask(_ daemon: BenchDaemon, _ run: BenchRun) async throws {
        try await daemon.rest()
        if parts.contains(.exports) {
            await run.part("Asking for all") {
                try await ExportBench(place: place, journal: journal, daemon: daemon).run()
            }
        }
        if !parts.isDisjoint(with: Self.asked) {
            await run.part("Asking questions") {
                try await QuestionBench(
                    place: place, journal: journal, daemon: daemon, run: run, asksOthers: asksOthers
                ).run(parts)
            }
        }
        if parts.contains(.reports), !journal.workload.reportFilters.isEmpty {
            await run.part("Reporting") { try WorkloadReportBench(journal: journal, daemon: daemon).run() }
        }
        if parts.contains(.idle), let goal = journal.workload.goals.idle {
            await run.part("Waiting") { try await IdleBench(daemon: daemon, goal: goal).run() }
        }
        try daemon.stop()
    }
}
