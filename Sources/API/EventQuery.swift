package import Model
import Predicates

/// The query of `GET /v1/events`.
package struct EventQuery: Sendable, Hashable {
    package static let usualLimit = 100
    package static let maximumLimit = 999_999_999_999_999

    package enum Order: String, Sendable, CaseIterable { case oldest, newest }

    package var filter = EventFilter()
    /// The most events in the reply; see `isByTime`. `nil` means `n=all`. For a tail: how many stored events come
    /// first.
    package var limit: Int? = usualLimit
    /// Which events come first. Tails always begin with the oldest.
    package var order = Order.newest
    /// Selects events after the one with this id.
    package var after: Int64?
    /// Selects events before the one with this id.
    package var before: Int64?
    /// A predicate: the events that match it are marked in their lines.
    @Exact package var highlight: String?
    /// The members of event lines.
    package var members = LineMembers.all
    /// A tail: the last `limit` events (or with `after`, all that follow it), then live ones until the client leaves.
    package var follow = false
    /// For a tail: whether it includes events that were sent before it began and are read while it runs.
    package var late = false

    package init() {}

    /// Whether the query selects the `limit` events that were sent last, ordered by time. All other queries select
    /// events in the order in which they were read. The two orders differ when journal files are read late.
    package var isByTime: Bool { limit != nil && after == nil && before == nil }
}

extension EventQuery {
    /// The parameters beside the filter.
    enum Name: String, CaseIterable { case n, order, after, before, follow, late, highlight, members }

    package static let highlightName = Name.highlight.rawValue

    /// The names of all query parameters.
    package static let parameterNames = FilterParameter.allCases.map(\.name) + Name.allCases.map(\.rawValue)

    /// The query as URL parameters, not percent-encoded; parameters with their default values are left out.
    package var parameters: [(name: String, value: String)] {
        var parameters = filter.items
        func add(_ name: Name, _ value: String?) {
            if let value { parameters.append((name.rawValue, value)) }
        }
        let defaults = EventQuery()
        if limit != defaults.limit { add(.n, limit.map(String.init) ?? "all") }
        if order != defaults.order { add(.order, order.rawValue) }
        add(.after, after.map(String.init))
        add(.before, before.map(String.init))
        if follow { add(.follow, "true") }
        if late { add(.late, "true") }
        add(.highlight, highlight)
        if members != defaults.members { add(.members, members.list) }
        return parameters
    }
}
