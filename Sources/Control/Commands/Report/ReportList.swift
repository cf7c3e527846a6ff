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

    /// Returns a list with the reports that are nearly named; `nil` if a name is like none.
    static func near(_ argument: String) -> String? {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false).map { name in
            EditDistance.nearest(to: name.lowercased(), among: allValueStrings)
        }
        return names.contains(nil) ? nil : names.compactMap(\.self).joined(separator: ",")
    }

    static var defaultCompletionKind: CompletionKind { Completions.some(of: allValueStrings) }
    static var allValueStrings: [String] { ReportKind.allCases.map(\.rawValue) }
}
