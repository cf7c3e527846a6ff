/// `GET /v1/stats`: events in groups, the largest ones first.
package struct StatsReply: Sendable, Hashable, Codable, DescribedObject {
    package var by: [String]
    package var events: Int64
    package var groups: Int
    package var uncertainty: Int64?
    package var firstTime: WireTime?
    package var lastTime: WireTime?
    package var trendFrom: WireTime?
    package var trendTo: WireTime?
    package var rows: [StatsRow]

    package init(by: [String], events: Int64, groups: Int, rows: [StatsRow]) {
        (self.by, self.events, self.groups, self.rows) = (by, events, groups, rows)
    }

    package static let object = ObjectDescription(
        "Stats", "Stored events in groups",
        [
            member("by", \.by, "The keys that events are grouped by", ["event"]),
            member("events", \.events, "How many events match the filter", 512_345),
            member("groups", \.groups, "How many groups there are; within about 2 % if uncertainty is there", 12),
            member(
                "uncertainty", \.uncertainty,
                "Only if there are too many groups to count all: one that is not in rows may have up to so many events",
                nil),
            member("first_time", \.firstTime, "The time of the first event", .earlierExample),
            member("last_time", \.lastTime, "The time of the last event", .example),
            member("trend_from", \.trendFrom, "When the range of trends begins", nil),
            member("trend_to", \.trendTo, "When it ends", nil),
            member(
                "rows", \.rows,
                "The groups with most events, these first; or the latest ones by time, if events are grouped by a part of time"
            ),
        ])
}

/// A group of events.
package struct StatsRow: Sendable, Hashable, Codable, DescribedObject {
    package var values: [KeyValue]
    package var count: Int64
    package var firstSeen: WireTime
    package var lastSeen: WireTime
    package var perSecond: Double?
    package var trend: [Int64]?
    package var distinct: Int?
    package var numbers: Numbers?

    package init(values: [KeyValue], count: Int64, firstSeen: WireTime, lastSeen: WireTime) {
        (self.values, self.count, self.firstSeen, self.lastSeen) = (values, count, firstSeen, lastSeen)
    }

    /// What the numbers of a group are.
    package struct Numbers: Sendable, Hashable, Codable, DescribedObject {
        package var count: Int64
        /// `nil` if it is too large for a double.
        package var sum: Double?
        package var min: Double?
        package var max: Double?
        package var average: Double?
        package var p50: Double?
        package var p90: Double?
        package var p95: Double?
        package var p99: Double?
        package var histogram: [Range]?

        package init(count: Int64, sum: Double?) { (self.count, self.sum) = (count, sum) }

        /// How many numbers are from a bound up to another.
        package struct Range: Sendable, Hashable, Codable, DescribedObject {
            package var from: Double
            package var to: Double
            package var count: Int64

            package init(from: Double, to: Double, count: Int64) {
                (self.from, self.to, self.count) = (from, to, count)
            }

            package static let object = ObjectDescription(
                "StatsRange", "How many numbers are in a range",
                [
                    member("from", \.from, "The lower bound, which is in it", 20),
                    member("to", \.to, "The upper bound, which is not", 50),
                    member(
                        "count", \.count, "How many numbers are in it; within 1 % of the bounds for more than 512", 120),
                ])
        }

        package static let object = ObjectDescription(
            "StatsNumbers", "The numbers that the events of a group have for a parameter",
            [
                member("count", \.count, "How many events have a number", 900),
                member("sum", \.sum, "Their sum; left out if it is too large for a double", 45_000),
                member("min", \.min, "The least", 3), member("max", \.max, "The largest", 900),
                member("average", \.average, "The average", 50),
                member("p50", \.p50, "The median; percentiles are within 1 % for more than 512 numbers", 41),
                member("p90", \.p90, "What 90 % do not exceed", 98),
                member("p95", \.p95, "What 95 % do not exceed", 120),
                member("p99", \.p99, "What 99 % do not exceed", 400),
                member(
                    "histogram", \.histogram,
                    "How the numbers are distributed, if histogram is in the query and they are not all the same",
                    showing: nil),
            ])
    }

    package static let object = ObjectDescription(
        "StatsRow", "A group of events",
        [
            member("values", \.values, "What its events have for each key; for a part of time, its start"),
            member("count", \.count, "How many events it has", 1200),
            member("first_seen", \.firstSeen, "The time of its first event", .earlierExample),
            member("last_seen", \.lastSeen, "The time of its last event", .example),
            member(
                "per_second", \.perSecond,
                """
                How many events a second has: in the range of time that the filter asks for, up to now; if it asks for none, from \
                the first event to the last; of a part of time, in that part of it. Left out if that takes no time
                """, 0.33),
            member("trend", \.trend, "How many events each part of the range has", nil),
            member("distinct", \.distinct, "How many distinct values there are; within about 2 % above 1,024", nil),
            member("numbers", \.numbers, "The numbers of the parameter in the query", showing: nil),
        ])
}

/// What events have for a key.
package struct KeyValue: Sendable, Hashable, Codable, DescribedObject {
    package var key: String
    package var value: String?

    package init(key: String, value: String?) { (self.key, self.value) = (key, value) }

    package static let object = ObjectDescription(
        "KeyValue", "What events have for a key",
        [
            member("key", \.key, "The key", "event"),
            member("value", \.value, "Left out for events that have none", "recipe_detail/tap_save_button"),
        ])
}
