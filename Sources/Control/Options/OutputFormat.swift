import ArgumentParser

/// What a command that answers with one document writes.
package enum DocumentFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json
}

/// What a command that answers with a list of records writes.
package enum ListFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json, ndjson
}

/// What a command that answers with events writes.
package enum EventFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case shortISO = "short-iso"
    case cat, json, ndjson

    static let help = ArgumentHelp(
        """
        text, short-iso (times as ISO 8601 has them), cat (only the message or payload, a line each), json (one array) or \
        ndjson (a line each, as the daemon writes it).
        """)
}

/// What a command that never ends by itself writes: an array that is never closed would be of no use.
package enum TailFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case shortISO = "short-iso"
    case cat, ndjson

    static let help = ArgumentHelp(
        """
        text, short-iso (times as ISO 8601 has them), cat (only the message or payload, a line each) or ndjson (a line \
        each, as the daemon writes it).
        """)

    var format: EventFormat {
        switch self {
        case .text: .text
        case .shortISO: .shortISO
        case .cat: .cat
        case .ndjson: .ndjson
        }
    }
}
