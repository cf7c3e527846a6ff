package import Model

/// The query of `GET /v1/alerts/history`.
package struct NoticeQuery: Sendable, Hashable {
    /// Only the notices of this one.
    @Exact package var alert: String?
    /// The most notices.
    package var limit = 100

    package static let maximumLimit = 1000
    package static let parameterNames = ["alert", "n"]

    package init() {}

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            guard name == "n" else {
                alert = value
                continue
            }
            guard let number = QueryItems.number(value, in: 0...Int64(Self.maximumLimit)) else {
                throw QueryError(parameter: name, description: "must be a number from 0 to \(Self.maximumLimit)")
            }
            limit = Int(number)
        }
    }

    package var parameters: [(name: String, value: String)] {
        (alert.map { [("alert", $0)] } ?? []) + (limit == 100 ? [] : [("n", String(limit))])
    }
}

/// A query with one time: `since` of `POST /v1/alerts/{alert}/trial`, `until` of `…/silence`.
package struct TimeQuery: Sendable, Hashable {
    package enum Name: String, Sendable { case since, until }

    package var name: Name
    /// Microseconds since 1970.
    package var time: UInt64?

    package init(_ name: Name, time: UInt64?) { (self.name, self.time) = (name, time) }

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is repeated, or has an invalid value.
    package init(_ name: Name, urlQuery: String?) throws(QueryError) {
        self.name = name
        for (_, value) in try QueryItems.parse(urlQuery, names: [name.rawValue], lists: []) {
            guard let time = QueryItems.time(value) else {
                throw QueryError(parameter: name.rawValue, description: "must be \(QueryItems.allowedTimes)")
            }
            self.time = time
        }
    }

    package var parameters: [(name: String, value: String)] { time.map { [(name.rawValue, String($0))] } ?? [] }
}
