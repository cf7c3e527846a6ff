/// What a report was made from, so that an empty one can be told from one that had nothing to look at.
package struct ReportScope: Sendable, Hashable, Codable {
    /// The gap records of one cause that the range has.
    package struct Gaps: Sendable, Hashable, Codable {
        /// A `Gap.Cause`.
        package var cause: String
        package var records: Int64
        /// How many entries are missing for certain, whoever sent them, as far as the records know.
        package var missing: UInt64
        /// How many more may be missing at most; absent when no record has such a number.
        package var atMost: UInt64?
        /// Of the records, those that do not know how many entries are missing.
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
    }

    /// A name that was asked for and that nothing has.
    package struct Unknown: Sendable, Hashable, Codable {
        /// `subsystem`, `category` or `event`.
        package var parameter: String
        package var value: String

        package init(parameter: String, value: String) {
            self.parameter = parameter
            self.value = value
        }
    }

    /// How many events meet the filter, by resolution; resolutions that none has are left out.
    package var events: [String: Int64]
    /// By cause; absent when there are none.
    package var gaps: [Gaps]?
    /// Only events since then were looked at: retention removed older ones of the range. Absent when nothing is missing.
    package var storedSince: WireTime?
    /// Absent when all names are known.
    package var unknown: [Unknown]?

    package init(
        events: [String: Int64] = [:], gaps: [Gaps]? = nil, storedSince: WireTime? = nil, unknown: [Unknown]? = nil
    ) {
        self.events = events
        self.gaps = gaps
        self.storedSince = storedSince
        self.unknown = unknown
    }
}
