import Foundation

/// Whether names can fill memory, or make anything slow: of those that nobody defined there may be as many as senders please.
struct NamesBench {
    let place: BenchPlace

    func run() async throws -> [BenchResult] {
        let workload = ManyNamesWorkload()
        let journal = try GeneratedJournal(workload, entries: 2 * ManyNamesWorkload.events, under: place.work)
        return try await place.withFolder("definitions") { definitions in
            try workload.writeDefinitions(to: definitions)
            let catchUp = CatchUpBench(place: place, journal: journal, definitions: definitions)
            let (daemon, time, peak) = try await catchUp.caughtUp()
            let reports = try slowestReports(daemon, journal)
            try daemon.stop()
            let rate = Double(journal.events) / time * 1000
            return [
                BenchResult("1,000,000 names: catch-up, events/s", thousands(rate), goal: workload.goals.catchUp),
                BenchResult("the same: peak RssAnon", megabytes(peak), goal: workload.goals.memory),
            ] + reports
        }
    }

    private func slowestReports(_ daemon: BenchDaemon, _ journal: GeneratedJournal) throws -> [BenchResult] {
        let reports = ReportTimes(client: daemon.client)
        let tenth = journal.events / 10 * 9
        let filters = [
            ReportTimes.Filter(what: "", query: "", events: journal.events, isOfKeys: false),
            ReportTimes.Filter(
                what: " of the last tenth of the time", query: "&since=\(EntryNumbers.time(ofEvent: tenth))",
                events: journal.events - tenth, isOfKeys: false),
        ]
        return try filters.map { filter in
            let slowest = try reports.slowest(filter)
            return BenchResult(
                milliseconds: "the same: slowest report\(filter.what) (\(slowest.kind))", slowest.time,
                goal: journal.workload.goals.report)
        }
    }
}
