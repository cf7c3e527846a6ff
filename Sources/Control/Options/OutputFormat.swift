import ArgumentParser

/// What a command that answers with one document writes.
package enum DocumentFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json
}

/// What a command that answers with events writes.
package enum EventFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, json, ndjson
}

/// What a command that never ends by itself writes: an array that is never closed would be of no use.
package enum TailFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text, ndjson
}
