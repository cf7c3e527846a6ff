package import Model

/// The query of `GET /v1/reports/{report}`, with the filters of `GET /v1/events`.
package struct ReportQuery: Sendable, Hashable {
    package static let maximumLimit = 10_000

    package var filter = EventFilter()
    /// The same as in `EventQuery`.
    @Exact package var predicate: String?
    package var users: [String] = []
    package var devices: [String] = []
    /// The most rows, from 0.
    package var limit = 1000

    package init() {}

    /// Returns the names of the query parameters of a report.
    package static func parameterNames(_ report: ReportKind) -> [String] {
        let names: [EventQuery.Name] = [
            .subsystem, .category, .event, .level, .since, .until, .programSince, .programUntil, .boot, .unit,
            .identifier, .host, .pid, .resolution,
            .user, .device, .where, .grep, .predicate, .n,
        ]
        return names.filter(report.takes).map(\.rawValue)
    }

    /// Reads the part of a URL after the `?`.
    /// - Throws: `QueryError` for a parameter that does not exist or that this report does not have, is repeated, or
    ///   has an invalid value.
    package init(urlQuery: String?, report: ReportKind) throws(QueryError) {
        self.init()
        let names = Self.parameterNames(report)
        for name in QueryItems.names(urlQuery) where !names.contains(name) {
            guard let known = EventQuery.Name(rawValue: name) else { continue }
            throw QueryError(parameter: name, description: Self.refusal(of: known, report))
        }
        let lists = EventQuery.Name.allCases.filter(\.isList).map(\.rawValue)
        var query = EventQuery()
        for (name, value) in try QueryItems.parse(urlQuery, names: names, lists: Set(exact: lists)) {
            guard name != EventQuery.Name.n.rawValue else {
                guard let number = QueryItems.number(value, in: 0...Int64(Self.maximumLimit)) else {
                    throw QueryError(
                        parameter: name, description: "must be a number from 0 to \(Self.maximumLimit)")
                }
                limit = Int(number)
                continue
            }
            try query.set(name, to: value)
        }
        filter = query.filter
        (predicate, users, devices) = (query.predicate, query.users, query.devices)
    }

    /// The query as URL parameters, not percent-encoded; parameters with their default values are left out.
    package var parameters: [(name: String, value: String)] {
        var query = EventQuery()
        query.filter = filter
        (query.predicate, query.users, query.devices) = (predicate, users, devices)
        return query.parameters + (limit == ReportQuery().limit ? [] : [("n", String(limit))])
    }

    private static func refusal(of name: EventQuery.Name, _ report: ReportKind) -> String {
        switch name {
        case .resolution:
            "does not go with the report \(report.rawValue): all of its events have the same one"
        case .event: "does not go with the report \(report.rawValue): its events have no key"
        default: "does not go with a report, whose rows are no events; n says how many there are at most"
        }
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

    fileprivate func takes(_ name: EventQuery.Name) -> Bool {
        switch name {
        case .resolution: hasResolutions
        case .event: hasKeys
        default: true
        }
    }
}
