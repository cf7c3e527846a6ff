import ArgumentParser

/// The formats of `report`.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json, csv, markdown
}
