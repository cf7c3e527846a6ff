import Model

/// Whether the events of a definition are sent.
package enum DefinitionState: String, Sendable, Hashable, Codable, CaseIterable, ExampleValue {
    /// Marked obsolete, whether such events are still sent or not.
    case obsolete
    /// No event of the definition was ever stored.
    case unseen
    case seen
}

/// How often the events of a definition were sent.
package struct DefinitionUse: Sendable, Hashable, Codable, DescribedObject {
    package var total: [String: Int64]
    package var day: [String: Int64]
    package var week: [String: Int64]
    package var firstSeen: WireTime?
    package var lastSeen: WireTime?
    package var watchedSince: WireTime?

    package init(
        total: [String: Int64] = [:], day: [String: Int64] = [:], week: [String: Int64] = [:],
        firstSeen: WireTime? = nil, lastSeen: WireTime? = nil, watchedSince: WireTime? = nil
    ) {
        self.total = total
        self.day = day
        self.week = week
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.watchedSince = watchedSince
    }

    package static let object = ObjectDescription(
        "DefinitionUse", "How often the events of a definition were sent",
        [
            member("total", \.total, "Since the store was created, including events that retention removed"),
            member("day", \.day, "Of the stored events of the last 24 hours", showing: ["resolved": 12]),
            member(
                "week", \.week, "Of the stored events of the last seven days",
                showing: ["resolved": 118, "violating": 2]),
            member("first_seen", \.firstSeen, "When the first of its events was sent", .earlierExample),
            member("last_seen", \.lastSeen, "When the latest of its events was sent", .example),
            member("watched_since", \.watchedSince, "When the definition was first loaded", .earlierExample),
        ])
}

/// How often the events of a definition broke one rule.
package struct ViolationUse: Sendable, Hashable, Codable, DescribedObject {
    package var parameter: String?
    package var rule: String
    package var count: Int64
    package var lastSeen: WireTime

    package init(parameter: String?, rule: String, count: Int64, lastSeen: WireTime) {
        self.parameter = parameter
        self.rule = rule
        self.count = count
        self.lastSeen = lastSeen
    }

    package static let object = ObjectDescription(
        "ViolationUse", "How often the events of a definition broke one rule",
        [
            member("parameter", \.parameter, "The parameter that breaks it", "recipe_id"),
            member("rule", \.rule, "The rule", "type", as: .choice(of: Violation.Rule.self)),
            member("count", \.count, "The number of events", 30),
            member("last_seen", \.lastSeen, "When the latest of them was sent", .example),
        ])
}

/// Where else something about a definition or an event is found.
package struct LinkReply: Sendable, Hashable, Codable, DescribedObject {
    package var name: String
    package var url: String

    package init(name: String, url: String) {
        self.name = name
        self.url = url
    }

    package static let object = ObjectDescription(
        "Link", "Where else something about a definition or an event is found",
        [
            member("name", \.name, "Its name in the settings", "SQL"),
            member("url", \.url, "The address", "https://sql.example.com/?q=recipe_detail%2Ftap_save_button", as: .url),
        ])
}
