package import Model

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
