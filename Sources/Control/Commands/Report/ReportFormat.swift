import ArgumentParser

/// The formats of `report`.
enum ReportFormat: String, Choice {
    case text, json, csv, markdown
}
