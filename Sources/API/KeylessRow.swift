/// The subsystem and category of the journal entries that events were read from.
package struct EventOrigin: Sendable, Hashable, Codable, DescribedObject {
    package var subsystem: String
    package var category: String

    package init(subsystem: String, category: String) {
        self.subsystem = subsystem
        self.category = category
    }

    package static let object = ObjectDescription(
        "EventOrigin", "The subsystem and category of the journal entries that events were read from",
        [
            member("subsystem", \.subsystem, "The subsystem", "com.example.shop"),
            member("category", \.category, "The category", "ActivityLog"),
        ])
}

/// Events of one subsystem and category that have no key: `unkeyed` or `malformed` ones.
package struct KeylessRow: ReportRow {
    package var dictionary: String?
    package var origin: EventOrigin
    package var count: Int64
    package var firstSeen: WireTime
    package var lastSeen: WireTime
    package var sampleEvent: Int64?
    package var reason: String?
    package var shapes: [PayloadShape]?

    package init(
        dictionary: String?, origin: EventOrigin, count: Int64, firstSeen: WireTime, lastSeen: WireTime,
        sampleEvent: Int64?, reason: String? = nil, shapes: [PayloadShape]? = nil
    ) {
        self.dictionary = dictionary
        self.origin = origin
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.sampleEvent = sampleEvent
        self.reason = reason
        self.shapes = shapes
    }

    package static let reports = [ReportKind.unkeyed, .malformed]
    package static let object = ObjectDescription(
        "KeylessRow", "Events of one subsystem and category that have no key, the most frequent first",
        [
            member("dictionary", \.dictionary, "The dictionary; absent if none covers the events", "shop"),
            member("origin", \.origin, "Where the events come from"),
            member("count", \.count, "The number of events", 11),
            member("first_seen", \.firstSeen, "When the first of them was sent", .earlierExample),
            member("last_seen", \.lastSeen, "When the latest of them was sent", .example),
            member("sample_event", \.sampleEvent, "The id of the latest of them, as long as it is stored", 4712),
            member(
                "reason", \.reason, "What is wrong with the latest of them, where that is known",
                "no event_name: event_nmae looks like it"),
            member(
                "shapes", \.shapes,
                """
                The latest unkeyed events by the members that they have, the most frequent first; absent from other \
                reports, and from all but the first rows
                """),
        ])
}

/// Unkeyed events of one origin whose payloads have the same members.
package struct PayloadShape: Sendable, Hashable, Codable, DescribedObject {
    package var members: [String]
    package var events: Int
    package var sampleEvent: Int64
    package var advice: String?

    package init(members: [String], events: Int, sampleEvent: Int64, advice: String?) {
        self.members = members
        self.events = events
        self.sampleEvent = sampleEvent
        self.advice = advice
    }

    package static let object = ObjectDescription(
        "PayloadShape", "Unkeyed events of one origin whose payloads have the same members",
        [
            member("members", \.members, "The names of the members, sorted", ["event", "messageId", "properties"]),
            member("events", \.events, "How many of the latest events have them", 187),
            member("sample_event", \.sampleEvent, "The id of the latest of them", 4712),
            member(
                "advice", \.advice, "The settings by which they would be events, where these are known",
                "dictionary web defines it: key: [event], parameters_at: properties"),
        ])
}
