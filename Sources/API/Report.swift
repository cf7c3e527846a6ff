/// The questions that `GET /v1/reports/{report}` answers.
package enum ReportKind: String, Sendable, Codable, CaseIterable {
    /// Sent, but not defined.
    case undefined
    /// Defined, but never sent.
    case unseen
    /// Sent in a way that breaks the definition.
    case violations
    /// What is marked obsolete, and whether it is still sent.
    case obsolete
    /// JSON objects without a key, so that no definition can be looked up.
    case unkeyed
    /// Begins like a JSON object and is none.
    case malformed
}

/// `GET /v1/reports/{report}`.
package struct Report<Row: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    package var report: ReportKind
    /// As many as were asked for, those that matter most first.
    package var rows: [Row]
    /// How many rows there are.
    package var total: Int
    package var lookedAt: ReportScope

    package init(_ report: ReportKind, rows: [Row], total: Int, lookedAt: ReportScope) {
        self.report = report
        self.rows = rows
        self.total = total
        self.lookedAt = lookedAt
    }
}

/// An event key that was sent, but is not defined; the most frequent come first.
package struct UndefinedRow: Sendable, Hashable, Codable {
    /// A definition whose key looks much like one that is not defined.
    package struct Closest: Sendable, Hashable, Codable {
        package var category: String
        package var name: String
        /// How many characters must be inserted, deleted, replaced or swapped with their neighbour.
        package var distance: Int

        package init(category: String, name: String, distance: Int) {
            self.category = category
            self.name = name
            self.distance = distance
        }
    }

    /// Absent where no dictionary covers the event's subsystem and category.
    package var dictionary: String?
    /// Whose events they are, where no dictionary covers them.
    package var origin: EventOrigin?
    package var category: String
    package var name: String
    package var count: Int64
    package var firstSeen: WireTime
    package var lastSeen: WireTime
    /// The id of the latest one, as long as it is stored.
    package var sampleEvent: Int64?
    /// Absent when nothing is near enough.
    package var closest: Closest?

    package init(
        dictionary: String?, origin: EventOrigin? = nil, category: String, name: String, count: Int64,
        firstSeen: WireTime, lastSeen: WireTime, sampleEvent: Int64?, closest: Closest?
    ) {
        self.dictionary = dictionary
        self.origin = origin
        self.category = category
        self.name = name
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.sampleEvent = sampleEvent
        self.closest = closest
    }
}

/// A definition that is not obsolete and whose events never came; in the order of the dictionaries.
package struct UnseenRow: Sendable, Hashable, Codable {
    package var dictionary: String
    package var category: String
    package var name: String
    /// The description's first line.
    package var description: String
    /// When the definition was first loaded.
    package var watchedSince: WireTime?

    package init(dictionary: String, category: String, name: String, description: String, watchedSince: WireTime?) {
        self.dictionary = dictionary
        self.category = category
        self.name = name
        self.description = description
        self.watchedSince = watchedSince
    }
}

/// A rule that a parameter of a definition's events breaks; the most frequent come first.
package struct ViolationRow: Sendable, Hashable, Codable {
    package var dictionary: String?
    package var category: String
    package var name: String
    package var parameter: String?
    /// One of `Violation.Rule`.
    package var rule: String
    package var count: Int64
    package var firstSeen: WireTime
    package var lastSeen: WireTime
    /// The id of the latest one, as long as it is stored.
    package var sampleEvent: Int64?

    package init(
        dictionary: String?, category: String, name: String, parameter: String?, rule: String, count: Int64,
        firstSeen: WireTime, lastSeen: WireTime, sampleEvent: Int64?
    ) {
        self.dictionary = dictionary
        self.category = category
        self.name = name
        self.parameter = parameter
        self.rule = rule
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.sampleEvent = sampleEvent
    }
}

/// An obsolete event, or an obsolete parameter of an event. The most frequent come first; those that no event has any
/// more come last, and may be removed from the definitions.
package struct ObsoleteRow: Sendable, Hashable, Codable {
    package var dictionary: String
    package var category: String
    package var name: String
    /// Absent when the event itself is obsolete.
    package var parameter: String?
    /// How many events had it; 0 is possible.
    package var stillSeen: Int64
    package var lastSeen: WireTime?
    /// The id of the latest one, as long as it is stored.
    package var sampleEvent: Int64?

    package init(
        dictionary: String, category: String, name: String, parameter: String?, stillSeen: Int64, lastSeen: WireTime?,
        sampleEvent: Int64?
    ) {
        self.dictionary = dictionary
        self.category = category
        self.name = name
        self.parameter = parameter
        self.stillSeen = stillSeen
        self.lastSeen = lastSeen
        self.sampleEvent = sampleEvent
    }
}
