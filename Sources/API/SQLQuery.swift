import Model

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
}

extension SQLQuery: APIQuery {
    private static let statementName = "statement"

    package static let fields: [QueryField<Self>] = withFilter(
        { $1(&$0.filter) },
        [
            .value(
                statementName, { $1(&$0.statement) },
                .any(["type": "string", "minLength": 1, "maxLength": .number(longestStatement / 4)]),
                "A statement of SQLite that reads: SELECT, WITH, VALUES or EXPLAIN",
                example: "SELECT event, count(*) FROM events GROUP BY event", isRequired: true),
            .value(
                "n", { $1(&$0.limit) }, .numberOrAll(maximumLimit),
                "The maximum number of rows, or all; \(usualLimit) by default", example: "10"),
            .value(
                "exact", { $1(&$0.isExact) }, .flag,
                """
                Whether parameters in columns of type TEXT have numbers that are no integers as texts, with the digits that \
                were sent
                """, example: "false"),
        ])

    package func check(_ given: [String]) throws(QueryError) {
        guard !statement.isEmpty else {
            throw QueryError(parameter: Self.statementName, description: "is missing: a SELECT")
        }
        guard statement.utf8.count <= Self.longestStatement else {
            throw QueryError(
                parameter: Self.statementName, description: "may have at most \(Self.longestStatement >> 10) KiB",
                isUnprocessable: true)
        }
    }

    /// The query as URL parameters, not percent-encoded. The statement, which may be long, comes last.
    package var parameters: [(name: String, value: String)] {
        Self.fields.filter { $0.name != Self.statementName }.flatMap { $0.items(of: self) }
            + [(Self.statementName, statement)]
    }
}
