package import Model

/// A question about groups of events.
package struct GroupQuery: Sendable, Hashable {
    package var predicate: Predicate
    /// What the events are grouped by, at most `GroupKey.most`; none for one group of all.
    package var keys: [GroupKey]
    /// How many of the largest groups are returned.
    package var limit: Int
    /// A number in the payloads that is summed up for each group.
    package var measure: Predicate.ParameterPath?
    /// Of what the distinct values are counted in each group.
    package var distinct: GroupKey?
    /// Into how many parts of equal length the range of time is divided, for counts over time; 0 for none.
    package var trend: Int
    /// Whether events without a value for one of the keys are in groups, too.
    package var hasNone: Bool

    package init(
        _ predicate: Predicate, by keys: [GroupKey], limit: Int, measure: Predicate.ParameterPath? = nil,
        distinct: GroupKey? = nil, trend: Int = 0, hasNone: Bool = true
    ) {
        (self.predicate, self.keys, self.limit) = (predicate, keys, limit)
        (self.measure, self.distinct, self.trend, self.hasNone) = (measure, distinct, trend, hasNone)
    }
}

/// The groups of events that answer a query.
package struct GroupSums: Sendable {
    /// The number of events that meet the predicate, and that are in a group: events that lack all keys are in one, too.
    package var events: Int64 = 0
    /// The number of groups.
    package var groups = 0
    /// How many events a group may have that is not in `rows`, if there are too many groups to count them all; else 0.
    package var uncertainty: Int64 = 0
    /// The times of the first and the last event, in microseconds since 1970.
    package var times: ClosedRange<Int64>?
    /// The range that trends are about.
    package var trendTimes: ClosedRange<Int64>?
    /// The largest groups, those with most events first; or, if a key is a part of time, the latest ones, by time.
    package var rows: [GroupRow] = []
}

package struct GroupRow: Sendable {
    /// The text for each key; of a part of time its start in microseconds since 1970. `nil` for events without a value.
    package var values: [String?]
    package var count: Int64
    /// The times of the first and the last event, in microseconds since 1970.
    package var times: ClosedRange<Int64>
    /// The number of events in each part of the range.
    package var trend: [Int64] = []
    /// The number of distinct values; within about 2 % if there are more than a thousand.
    package var distinct: Int?
    package var measure: NumberSummary?
}
