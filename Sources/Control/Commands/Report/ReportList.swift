package import API
package import ArgumentParser
import Model

/// The value of `report` and `--fail-on`: names of reports, separated by commas.
package struct ReportList: ExpressibleByArgument, Sendable, Equatable {
    package var reports: [ReportKind]

    package init?(argument: String) {
        let reports = argument.split(separator: ",", omittingEmptySubsequences: false).map { name in
            ReportKind(rawValue: String(name))
        }
        guard !reports.contains(nil) else { return nil }
        self.reports = reports.compactMap { $0 }
    }

    package static var defaultCompletionKind: CompletionKind { Completions.some(of: allValueStrings) }
    package static var allValueStrings: [String] { ReportKind.allCases.map(\.rawValue) }
}
