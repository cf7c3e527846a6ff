import ArgumentParser

/// The formats of `report`.
package enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json, csv, markdown
}
