/// The reports over the events of a workload.
struct WorkloadReportBench {
    let journal: GeneratedJournal
    let daemon: BenchDaemon

    func run() throws -> [BenchResult] {
        let reports = ReportTimes(client: daemon.client)
        return try journal.workload.reportFilters.map { filter in
            let slowest = try reports.slowest(of(filter))
            return BenchResult(
                milliseconds: "\(journal.workload.mark)slowest report\(filter.what) (\(slowest.kind))", slowest.time,
                goal: journal.workload.goals.report)
        }
    }

    private func of(_ filter: WorkloadFilter) -> ReportTimes.Filter {
        let events = journal.events
        return ReportTimes.Filter(
            what: filter.what, query: filter.query(events),
            events: (0..<events).count { filter.takes($0, events) }, isOfKeys: filter.isOfKeys)
    }
}
