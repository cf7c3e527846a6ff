import Model

/// The reports of `GET /v1/reports/{report}`.
package enum ReportKind: String, Sendable, Codable, CaseIterable, ExampleValue {
    /// Events that were sent but are not defined.
    case undefined
    /// Events that are defined but were never sent.
    case unseen
    /// Events that break their definitions.
    case violations
    /// Events and parameters that are marked obsolete, and whether they are still sent.
    case obsolete
    /// JSON objects without a key, for which no definition can be looked up.
    case unkeyed
    /// Payloads that begin like a JSON object and are not one.
    case malformed
}

/// A row of a report.
package protocol ReportRow: Sendable, Hashable, Codable, DescribedObject {
    /// The reports that have such rows.
    static var reports: [ReportKind] { get }
}

/// `GET /v1/reports/{report}`.
package struct Report<Row: ReportRow>: Sendable, Hashable, Codable, DescribedObject {
    package var report: ReportKind
    package var rows: [Row]
    package var total: Int
    package var scope: ReportScope

    package init(_ report: ReportKind, rows: [Row], total: Int, scope: ReportScope) {
        self.report = report
        self.rows = rows
        self.total = total
        self.scope = scope
    }

    package static var object: ObjectDescription {
        ObjectDescription(
            Row.object.name.replacing("Row", with: "Report"), "A report",
            [
                member(
                    "report", \.report, "Which report this is", Row.reports[0], as: .choice(Row.reports.map(\.rawValue))
                ),
                member("rows", \.rows, "At most as many as requested, the most important first"),
                member("total", \.total, "The number of rows without the limit", 1),
                member("scope", \.scope, "What the report was made from"),
            ])
    }
}

/// An event key that was sent but is not defined.
package struct UndefinedRow: ReportRow {
    /// A defined key that is similar to one that is not defined.
    package struct Closest: Sendable, Hashable, Codable, DescribedObject {
        package var category: String
        package var name: String
        package var distance: Int

        package init(category: String, name: String, distance: Int) {
            self.category = category
            self.name = name
            self.distance = distance
        }

        package static let object = ObjectDescription(
            "ClosestKey", "A defined key that is similar to one that is not defined",
            [
                member("category", \.category, "The category of the event's key", "recipe_detail"),
                member("name", \.name, "The name in the category", "tap_save_button"),
                member(
                    "distance", \.distance,
                    "How many characters must be inserted, deleted, replaced or swapped with their neighbour", 1),
            ])
    }

    package var dictionary: String?
    package var origin: EventOrigin?
    package var category: String
    package var name: String
    package var count: Int64
    package var firstSeen: WireTime
    package var lastSeen: WireTime
    package var sampleEvent: Int64?
    package var closest: Closest?
    package var reason: String?

    package init(
        dictionary: String?, origin: EventOrigin? = nil, category: String, name: String, count: Int64,
        firstSeen: WireTime, lastSeen: WireTime, sampleEvent: Int64?, closest: Closest?, reason: String? = nil
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
        self.reason = reason
    }

    package static let reports = [ReportKind.undefined]
    package static let object = ObjectDescription(
        "UndefinedRow", "An event key that was sent but is not defined, the most frequent first",
        [
            member("dictionary", \.dictionary, "The dictionary; absent if none covers the events", "shop"),
            member("origin", \.origin, "Where the events come from, if no dictionary covers them", showing: nil),
            member("category", \.category, "The category of the event's key", "recipe_detail"),
            member("name", \.name, "The name in the category", "tap_save_buton"),
            member("count", \.count, "The number of events", 1234),
            member("first_seen", \.firstSeen, "When the first of them was sent", .earlierExample),
            member("last_seen", \.lastSeen, "When the latest of them was sent", .example),
            member("sample_event", \.sampleEvent, "The id of the latest of them, as long as it is stored", 4711),
            member("closest", \.closest, "The defined key that is most similar; absent if none is similar enough"),
            member("reason", \.reason, "Why the definition that there is does not count, with its file and line", nil),
        ])
}

/// A definition that is not obsolete and whose events were never sent.
package struct UnseenRow: ReportRow {
    package var dictionary: String
    package var category: String
    package var name: String
    package var description: String
    package var watchedSince: WireTime?

    package init(dictionary: String, category: String, name: String, description: String, watchedSince: WireTime?) {
        self.dictionary = dictionary
        self.category = category
        self.name = name
        self.description = description
        self.watchedSince = watchedSince
    }

    package static let reports = [ReportKind.unseen]
    package static let object = ObjectDescription(
        "UnseenRow",
        "A definition that is not obsolete and whose events were never sent, in the order of the dictionaries",
        [
            member("dictionary", \.dictionary, "The dictionary", "shop"),
            member("category", \.category, "The category of the event's key", "search"),
            member("name", \.name, "The name in the category", "start"),
            member("description", \.description, "The first line of its description", "A search begins."),
            member("watched_since", \.watchedSince, "When the definition was first loaded", .earlierExample),
        ])
}

/// A rule that events of one definition break.
package struct ViolationRow: ReportRow {
    package var dictionary: String?
    package var category: String
    package var name: String
    package var parameter: String?
    package var rule: String
    package var count: Int64
    package var firstSeen: WireTime
    package var lastSeen: WireTime
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

    package static let reports = [ReportKind.violations]
    package static let object = ObjectDescription(
        "ViolationRow", "A rule that events of one definition break, the most frequent first",
        [
            member("dictionary", \.dictionary, "The dictionary", "shop"),
            member("category", \.category, "The category of the event's key", "recipe_detail"),
            member("name", \.name, "The name in the category", "tap_save_button"),
            member("parameter", \.parameter, "The parameter that breaks the rule", "recipe_id"),
            member("rule", \.rule, "The rule", "type", as: .choice(of: Violation.Rule.self)),
            member("count", \.count, "The number of events", 30),
            member("first_seen", \.firstSeen, "When the first of them was sent", .earlierExample),
            member("last_seen", \.lastSeen, "When the latest of them was sent", .example),
            member("sample_event", \.sampleEvent, "The id of the latest of them, as long as it is stored", 4711),
        ])
}

/// An obsolete event, or an obsolete parameter of an event. Those that are no longer sent may be removed from the
/// definitions.
package struct ObsoleteRow: ReportRow {
    package var dictionary: String
    package var category: String
    package var name: String
    package var parameter: String?
    package var stillSeen: Int64
    package var lastSeen: WireTime?
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

    package static let reports = [ReportKind.obsolete]
    package static let object = ObjectDescription(
        "ObsoleteRow",
        "An obsolete event or parameter, the most frequent first; those that are no longer sent come last",
        [
            member("dictionary", \.dictionary, "The dictionary", "shop"),
            member("category", \.category, "The category of the event's key; * for all of them", "recipe_detail"),
            member("name", \.name, "The name in the category; * for all of them", "old_event"),
            member(
                "parameter", \.parameter, "The obsolete parameter or member; absent if the event itself is obsolete",
                nil),
            member("still_seen", \.stillSeen, "The number of events that were or had it", 7),
            member("last_seen", \.lastSeen, "When the latest of them was sent", .example),
            member("sample_event", \.sampleEvent, "The id of the latest of them, as long as it is stored", 4711),
        ])
}
