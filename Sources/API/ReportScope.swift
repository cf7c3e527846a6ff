import Model

/// What a report was made from. It distinguishes an empty report from one that had no events to examine.
package struct ReportScope: Sendable, Hashable, Codable, DescribedObject {
    package struct Gaps: Sendable, Hashable, Codable, DescribedObject {
        package var cause: String
        package var records: Int64
        package var missing: UInt64
        package var atMost: UInt64?
        package var uncounted: Int64?

        package init(
            cause: String, records: Int64 = 0, missing: UInt64 = 0, atMost: UInt64? = nil, uncounted: Int64? = nil
        ) {
            self.cause = cause
            self.records = records
            self.missing = missing
            self.atMost = atMost
            self.uncounted = uncounted
        }

        package static let object = ObjectDescription(
            "ReportGaps", "The gap records of one cause in the range",
            [
                member("cause", \.cause, "Why entries are missing", "deleted", as: .choice(of: Gap.Cause.self)),
                member("records", \.records, "The number of gap records", 2),
                member(
                    "missing", \.missing, "How many entries, of any sender, are certainly missing, as far as is known",
                    3210),
                member("at_most", \.atMost, "How many more may be missing; absent if no record has such a number", 12),
                member(
                    "uncounted", \.uncounted, "The number of records that do not know how many entries are missing", 1),
            ])
    }

    /// A name in the query that no event, rule or definition has.
    package struct Unknown: Sendable, Hashable, Codable, DescribedObject {
        package var parameter: String
        package var value: String

        package init(parameter: String, value: String) {
            self.parameter = parameter
            self.value = value
        }

        package static let object = ObjectDescription(
            "UnknownName", "A name in the query that nothing has",
            [
                member(
                    "parameter", \.parameter, "The query parameter", "subsystem",
                    as: .choice(["subsystem", "category", "event"])),
                member("value", \.value, "The pattern in the query", "com.exmaple.*"),
            ])
    }

    package var events: [String: Int64]
    package var gaps: [Gaps]?
    package var storedSince: WireTime?
    package var unknown: [Unknown]?

    package init(
        events: [String: Int64] = [:], gaps: [Gaps]? = nil, storedSince: WireTime? = nil, unknown: [Unknown]? = nil
    ) {
        self.events = events
        self.gaps = gaps
        self.storedSince = storedSince
        self.unknown = unknown
    }

    package static let object = ObjectDescription(
        "ReportScope", "What a report was made from",
        [
            member("events", \.events, "The number of events that match the filter, in a row of the report or not"),
            member("gaps", \.gaps, "The gap records of the range, by cause; absent if there are none"),
            member(
                "stored_since", \.storedSince,
                "Retention removed events of the range before this time; absent if it did not", nil),
            member(
                "unknown", \.unknown, "Names in the query that nothing has; absent if there are none", showing: nil),
        ])
}
