import Model

/// What `GET /v1/verify` is asked for.
package struct VerifyQuery: Sendable, Hashable {
    /// Only entries that were not written before; microseconds since 1970. `nil` for all.
    package var sinceMicroseconds: UInt64?

    package init(sinceMicroseconds: UInt64? = nil) {
        self.sinceMicroseconds = sinceMicroseconds
    }

    package static let parameterNames = ["since"]

    /// Reads the part of a URL behind the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is given twice, or has a value it cannot have.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            guard let time = EventQuery.time(value) else {
                throw QueryError(parameter: name, description: "must be \(EventQuery.allowedTimes)")
            }
            sinceMicroseconds = time
        }
    }

    package var parameters: [(name: String, value: String)] {
        sinceMicroseconds.map { [("since", String($0))] } ?? []
    }
}
