import Model
import Predicates

/// The query of `GET /v1/reports/{report}`, with the filters of `GET /v1/events`.
package struct ReportQuery: Sendable, Hashable {
    package static let usualLimit = 1000
    package static let maximumLimit = 10_000

    package var filter = EventFilter()
    /// The most rows, from 0.
    package var limit = usualLimit

    package init() {}
}

extension ReportQuery: APIQuery {
    package static let fields: [QueryField<Self>] = withFilter(
        { $1(&$0.filter) },
        [
            .value(
                "n", { $1(&$0.limit) }, .number(0...maximumLimit),
                "The maximum number of rows; \(usualLimit) by default",
                example: 10)
        ])

    /// The parameters that a report has.
    private static func fields(of report: ReportKind) -> [QueryField<Self>] {
        fields.filter { report.refusal(of: $0.name) == nil }
    }

    package static func documentation(_ report: ReportKind) -> [QueryParameter] {
        fields(of: report).map { $0.parameter() }
    }

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist or that this report does not have, is repeated, or
    ///   has an invalid value. What the filter's values mean is found out later.
    package init(urlQuery: String?, report: ReportKind) throws(QueryError) {
        for name in QueryItems.names(urlQuery) {
            if let reason = report.refusal(of: name) { throw QueryError(parameter: name, description: reason) }
        }
        try self.init(urlQuery, Self.fields(of: report))
    }
}

extension ReportKind {
    /// Whether the rows of the report are about events with a key.
    package var hasKeys: Bool {
        switch self {
        case .undefined, .unseen, .violations, .obsolete: true
        case .unkeyed, .malformed: false
        }
    }

    /// Whether the events of the report may have different resolutions.
    package var hasResolutions: Bool {
        switch self {
        case .unseen, .obsolete: true
        case .undefined, .violations, .unkeyed, .malformed: false
        }
    }

    /// Returns why the report does not take a parameter of `GET /v1/events`; `nil` if it does, or if there is none of that name.
    fileprivate func refusal(of name: String) -> String? {
        if let parameter = FilterParameter(rawValue: name) { return refusal(of: parameter) }
        guard name != "n", EventQuery.fields.contains(where: { $0.name == name }) else { return nil }
        return "does not go with a report, whose rows are no events; n says how many there are at most"
    }

    private func refusal(of parameter: FilterParameter) -> String? {
        switch parameter {
        case .resolution where !hasResolutions:
            "does not go with the report \(rawValue): all of its events have the same one"
        case .event where !hasKeys: "does not go with the report \(rawValue): its events have no key"
        default: nil
        }
    }
}
