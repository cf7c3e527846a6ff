import API
import ArgumentParser
import Model

/// The value of `report` and `--fail-on`: names of reports, separated by commas.
struct ReportList: ExpressibleByArgument, Sendable, Equatable {
    var reports: [ReportKind]

    init?(argument: String) {
        let reports = argument.split(separator: ",", omittingEmptySubsequences: false).map { name in
            ReportKind(rawValue: String(name))
        }
        guard !reports.contains(nil) else { return nil }
        self.reports = reports.compactMap { $0 }
    }

    static var defaultCompletionKind: CompletionKind { Completions.some(of: allValueStrings) }
    static var allValueStrings: [String] { ReportKind.allCases.map(\.rawValue) }
}
