import Model
import Predicates

/// The query of `GET /v1/sql`, with the filters of `GET /v1/events`, which say what events the tables have.
package struct SQLQuery: Sendable, Hashable {
    package static let usualLimit: Int64 = 10_000
    package static let maximumLimit: Int64 = 999_999_999_999_999_999
    /// In bytes.
    package static let longestStatement = 64 << 10

    package var filter = EventFilter()
    @Exact package var statement = ""
    /// The most rows; `nil` for all.
    package var limit: Int64? = usualLimit
    /// Whether parameters in columns of texts have numbers as texts with the digits that were sent, but for integers, which
    /// keep them anyway.
    package var isExact = false

    package init() {}

    enum Name: String, CaseIterable { case statement, n, exact }

    package static let parameterNames = FilterParameter.allCases.map(\.name) + Name.allCases.map(\.rawValue)

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist, is missing or repeated, or has an invalid value. What the
    ///   statement and the filter mean is found out later.
    package init(urlQuery: String?) throws(QueryError) {
        self.init()
        for (name, value) in try QueryItems.parse(urlQuery, names: Self.parameterNames, lists: QueryItems.lists) {
            if let parameter = FilterParameter(rawValue: name) {
                filter.add(value, to: parameter)
            } else if name == Name.statement.rawValue {
                statement = value
            } else if name == Name.exact.rawValue {
                isExact = try QueryItems.flag(value, of: name)
            } else {
                let number = QueryItems.number(value, in: 0...Self.maximumLimit)
                limit =
                    value == "all"
                    ? nil : try QueryItems.checked(number, of: name, "a number from 0 to \(Self.maximumLimit), or all")
            }
        }
        guard !statement.isEmpty else {
            throw QueryError(parameter: Name.statement.rawValue, description: "is missing: a SELECT")
        }
        guard statement.utf8.count <= Self.longestStatement else {
            throw QueryError(
                parameter: Name.statement.rawValue, description: "may have at most \(Self.longestStatement >> 10) KiB",
                isUnprocessable: true)
        }
    }

    /// The query as URL parameters, not percent-encoded; parameters with their default values are left out.
    package var parameters: [(name: String, value: String)] {
        let limits = limit == Self.usualLimit ? [] : [(Name.n.rawValue, limit.map(String.init) ?? "all")]
        let exact = isExact ? [(Name.exact.rawValue, "true")] : []
        return filter.items + limits + exact + [(Name.statement.rawValue, statement)]
    }
}
