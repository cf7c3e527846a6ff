import ArgumentParser

/// What can be measured by itself.
enum BenchPart: String, ExpressibleByArgument, CaseIterable {
    case scanner, dictionary, reading
    /// Of each workload.
    case journal, queries, exports, sql, idle
    case files, names, reports, reprocess, live, watches, tail, busy, reload

    /// What needs a workload's journal.
    static let ofWorkloads: Set<BenchPart> = [.journal, .queries, .exports, .sql, .reports, .idle]
}

enum WorkloadName: String, ExpressibleByArgument, CaseIterable {
    case uniform, varied

    var workload: any Workload {
        switch self {
        case .uniform: UniformWorkload()
        case .varied: VariedWorkload()
        }
    }
}
