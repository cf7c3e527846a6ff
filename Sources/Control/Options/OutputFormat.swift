import ArgumentParser

/// The value of an option that is one of a few words.
protocol Choice: ExpressibleByArgument, CaseIterable, RawRepresentable<String>, Sendable {}

extension Choice {
    // ArgumentParser finds the words of any type: Swift's runtime then looks for the conformances of each, among thousands.
    static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

/// The formats of commands whose output is one document.
enum DocumentFormat: String, Choice {
    case text, json
}

/// The formats of commands whose output is a list of records.
enum ListFormat: String, Choice {
    case text, json, ndjson
}

/// The formats of commands whose output is a table.
enum TableFormat: String, Choice {
    case text, json, csv, markdown
}

/// The formats of commands whose output is events.
enum EventFormat: String, Choice {
    case short
    case shortISO = "short-iso"
    case full, cat, json, ndjson, csv, markdown

    static let help = helpText(array: "json (one array), ")

    fileprivate static func helpText(array: String) -> ArgumentHelp {
        ArgumentHelp(
            """
            short, short-iso (with ISO 8601 times), full (all of each event), cat (only the message or payload, one line each), \
            \(array)ndjson (one line each, as in the API), csv or markdown (a table of --fields).
            """)
    }
}

/// The format of what has no end: an array would never be closed.
struct TailFormat: ExpressibleByArgument {
    var format: EventFormat

    init(_ format: EventFormat) { self.format = format }

    /// Takes `json` as well, which the command refuses with what to write instead.
    init?(argument: String) {
        guard let format = EventFormat(argument: argument) else { return nil }
        self.format = format
    }

    var defaultValueDescription: String { format.rawValue }
    static var allValueStrings: [String] { EventFormat.allCases.filter { $0 != .json }.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    static let help = EventFormat.helpText(array: "")
}
