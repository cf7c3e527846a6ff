package import Model

/// How often one event occurred with one resolution; or how often events without a key occurred from one origin.
package struct EventCount: Sendable, Hashable {
    /// The sender of the events. Both texts are `(other)` for origins beyond the limit.
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
    /// `nil` for events without a key. `(other)/(other)` stands for undefined keys beyond the limit.
    package var key: EventKey?
    /// The origin of events without a key, or without a dictionary that could define the key.
    package var origin: Origin?
    package var resolution: Resolution
    package var count: Int64
    /// Microseconds since 1970; 0 when it is not known.
    package var firstMicroseconds: UInt64
    /// Microseconds since 1970; 0 when it is not known.
    package var lastMicroseconds: UInt64
    /// The newest of these events as far as it is known, otherwise 0. Retention may have removed the event, or it may
    /// have been reprocessed since: read it before presenting it as an example.
    package var lastEventID: Int64
}

/// How often one rule was broken, or caused a warning, for one event and parameter.
package struct FindingCount: Sendable, Hashable {
    /// The dictionary's name in the settings; `nil` when none covers the event's subsystem and category.
    @Exact package var dictionary: String?
    /// `nil` for events without a key. `(other)/(other)` stands for undefined keys beyond the limit.
    package var key: EventKey?
    /// The raw value of a `Violation.Rule` or a `Warning.Rule`.
    @Exact package var rule: String
    package var isViolation: Bool
    /// `nil` for rules that do not concern a parameter. `(other)` stands for names beyond the limit that payloads
    /// have and the definition does not.
    @Exact package var parameter: String?
    /// The number of findings: an event with the same finding twice counts twice.
    package var count: Int64
    /// Microseconds since 1970.
    package var firstMicroseconds: UInt64
    /// Microseconds since 1970.
    package var lastMicroseconds: UInt64
    /// The newest event with the finding, as far as it is known. Retention may have removed the event, or it may have
    /// been reprocessed since: read it before presenting it as an example.
    package var lastEventID: Int64
}
