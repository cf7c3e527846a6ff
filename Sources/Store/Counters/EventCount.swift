package import Model

/// How often one event came, with one resolution; or how often entries of one origin had no key.
package struct EventCount: Sendable, Hashable {
    /// Whose events they are; both texts are `(other)` for those that were too many to be kept one by one.
    package struct Origin: Sendable, Hashable {
        @Exact package var subsystem: String
        @Exact package var category: String

        package init(subsystem: String, category: String) {
            self.subsystem = subsystem
            self.category = category
        }
    }

    /// The dictionary's name in the settings; `nil` when none covers the event's subsystem and category.
    @Exact package var dictionary: String?
    /// `nil` for events without one. `(other)/(other)` stands for undefined keys that were too many to be kept one by one.
    package var key: EventKey?
    /// Where there is no key, or no dictionary that the key could be in.
    package var origin: Origin?
    package var resolution: Resolution
    package var count: Int64
    /// Microseconds since 1970; 0 where it is not known.
    package var firstMicroseconds: UInt64
    /// Microseconds since 1970; 0 where it is not known.
    package var lastMicroseconds: UInt64
    /// The newest of them as far as known. Retention may have removed it, and it may have been reprocessed since: an
    /// example must be looked at before it is shown. 0 where it is not known.
    package var lastEventID: Int64

    package init(
        dictionary: String?, key: EventKey?, origin: Origin? = nil, resolution: Resolution, count: Int64,
        firstMicroseconds: UInt64, lastMicroseconds: UInt64, lastEventID: Int64
    ) {
        self.dictionary = dictionary
        self.key = key
        self.origin = origin
        self.resolution = resolution
        self.count = count
        self.firstMicroseconds = firstMicroseconds
        self.lastMicroseconds = lastMicroseconds
        self.lastEventID = lastEventID
    }
}

/// How often one rule was broken, or warned of, for one event and parameter.
package struct FindingCount: Sendable, Hashable {
    /// The dictionary's name in the settings; `nil` when none covers the event's subsystem and category.
    @Exact package var dictionary: String?
    /// `nil` for events without one. `(other)/(other)` stands for undefined keys that were too many to be kept.
    package var key: EventKey?
    /// The raw value of a `Violation.Rule` or a `Warning.Rule`.
    @Exact package var rule: String
    package var isViolation: Bool
    /// `nil` for rules that are not about one. `(other)` stands for names that payloads made up beyond a bound.
    @Exact package var parameter: String?
    /// Of findings: an event that has the same one twice counts twice.
    package var count: Int64
    /// Microseconds since 1970.
    package var firstMicroseconds: UInt64
    /// Microseconds since 1970.
    package var lastMicroseconds: UInt64
    /// The newest event that has it as far as known. Retention may have removed it, and it may have been reprocessed
    /// since: an example must be looked at before it is shown.
    package var lastEventID: Int64

    package init(
        dictionary: String?, key: EventKey?, rule: String, isViolation: Bool, parameter: String?, count: Int64,
        firstMicroseconds: UInt64, lastMicroseconds: UInt64, lastEventID: Int64
    ) {
        self.dictionary = dictionary
        self.key = key
        self.rule = rule
        self.isViolation = isViolation
        self.parameter = parameter
        self.count = count
        self.firstMicroseconds = firstMicroseconds
        self.lastMicroseconds = lastMicroseconds
        self.lastEventID = lastEventID
    }
}
