import ArgumentParser

/// What `report` writes.
package enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json, csv, markdown
}
