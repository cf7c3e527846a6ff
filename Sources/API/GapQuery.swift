import Model

/// What `GET /v1/gaps` is asked for.
package struct GapQuery: Sendable, Hashable {
    package static let maximumLimit = 1000

    /// Only gap records after this one.
    package var after: Int64 = 0
    /// How many at most, from 1.
    package var limit = maximumLimit

    package init() {}

    package static let parameterNames = ["after", "n"]

    /// Reads the part of a URL behind the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is given twice, or has a value it cannot have.
    package init(urlQuery: String?) throws(QueryError) {
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: []) {
            let range = name == "n" ? 1...Int64(Self.maximumLimit) : 0...Int64.max
            guard let number = QueryItems.number(value, in: range) else {
                throw QueryError(
                    parameter: name, description: "must be a number from \(range.lowerBound) to \(range.upperBound)")
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
