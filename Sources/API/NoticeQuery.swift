package import Model

/// The query of `GET /v1/alerts/history`.
package struct NoticeQuery: Sendable, Hashable {
    /// Only the notices of this one.
    @Exact package var alert: String?
    /// Only notices before the one with this id.
    package var before: Int64?
    /// The most notices on a page, from 1.
    package var limit = usualLimit

    package static let usualLimit = 100
    package static let maximumLimit = 500
    package static let parameterNames = ["alert", "before", "n"]

    package init() {}

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            switch name {
            case "alert": alert = value
            case "before": before = try QueryItems.number(value, of: name, in: 0...Int64.max)
            default: limit = try QueryItems.number(value, of: name, in: 1...Self.maximumLimit)
            }
        }
    }

    package var parameters: [(name: String, value: String)] {
        (alert.map { [("alert", $0)] } ?? []) + (before.map { [("before", String($0))] } ?? [])
            + (limit == Self.usualLimit ? [] : [("n", String(limit))])
    }
}

/// The query of `POST /v1/alerts/{alert}/silence`.
package struct SilenceQuery: Sendable, Hashable {
    /// Microseconds since 1970; `nil` ends the silence.
    package var until: UInt64?

    package static let parameterNames = ["until"]

    package init(until: UInt64?) { self.until = until }

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            until = try QueryItems.time(value, of: name)
        }
    }

    package var parameters: [(name: String, value: String)] { until.map { [("until", String($0))] } ?? [] }
}

/// The query of `POST /v1/alerts/{alert}/trial`.
package struct TrialQuery: Sendable, Hashable {
    /// Microseconds since 1970; `nil` for a day ago.
    package var since: UInt64?
    /// What the file with the rules is called.
    @Exact package var file: String?

    package static let parameterNames = ["since", "file"]

    package init(since: UInt64?, file: String?) {
        self.since = since
        self.file = file
    }

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            switch name {
            case "file": file = value
            default: since = try QueryItems.time(value, of: name)
            }
        }
    }

    package var parameters: [(name: String, value: String)] {
        (since.map { [("since", String($0))] } ?? []) + (file.map { [("file", $0)] } ?? [])
    }
}
