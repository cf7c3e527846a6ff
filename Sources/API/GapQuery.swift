/// What `GET /v1/gaps` is asked for.
package struct GapQuery: Sendable, Hashable {
    /// Only gap records after this one.
    package var after: Int64 = 0
    /// How many at most, from 1; the daemon gives no more than 1,000 at a time.
    package var limit = 1000

    package init() {}

    package static let parameterNames = ["after", "n"]

    /// Reads the part of a URL behind the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is given twice, or has a value it cannot have.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            guard let number = Int64(value), number >= (name == "n" ? 1 : 0) else {
                throw QueryError(parameter: name, description: "must be a number from \(name == "n" ? 1 : 0)")
            }
            if name == "n" { limit = Int(number) } else { after = number }
        }
    }

    package var parameters: [(name: String, value: String)] {
        let defaults = GapQuery()
        return (after == defaults.after ? [] : [("after", String(after))])
            + (limit == defaults.limit ? [] : [("n", String(limit))])
    }
}
