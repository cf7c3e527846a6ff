import JSON
import Model

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

    package init(
        dictionary: String?, origin: EventOrigin, count: Int64, firstSeen: WireTime, lastSeen: WireTime,
        sampleEvent: Int64?, reason: String? = nil
    ) {
        self.dictionary = dictionary
        self.origin = origin
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.sampleEvent = sampleEvent
        self.reason = reason
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
        ])
}

/// Why a payload has no key.
package enum MissingKey {
    /// A member's name that is this much of a slip away is taken for what was meant.
    private static let maximumDistance = 3
    /// Names in a payload may be anything: no more are shown, and no longer ones.
    private static let maximumNames = 8
    private static let maximumCharacters = 40

    /// In words, such as `no event_name: event_nmae looks like it`. Names of members only, since values may be private.
    /// - Parameters:
    ///   - payload: a JSON object.
    ///   - keys: the members that are to be there as strings.
    /// - Returns: `nil` when all of them are, or the payload is no JSON object.
    package static func reason(payload: [UInt8], keys: [String]) -> String? {
        guard let members = try? JSONScanner.members(of: payload) else { return nil }
        let names = members.map { JSONScanner.text(of: payload, in: $0.key) }
        var parts: [String] = []
        var isAnythingNear = false
        for key in keys {
            if let index = names.lastIndex(where: { $0.utf8.elementsEqual(key.utf8) }) {
                guard let kind = members[index].kind.nameUnlessString else { continue }
                parts.append("\(key) is \(kind), not a string")
                isAnythingNear = true
            } else if let near = nearest(names.filter { !keys.contains($0) }, to: key) {
                parts.append("no \(key): \(near) looks like it")
                isAnythingNear = true
            } else {
                parts.append("no \(key)")
            }
        }
        guard !parts.isEmpty else { return nil }
        return parts.joined(separator: "; ") + (isAnythingNear ? "" : "; " + listed(names))
    }

    private static func nearest(_ names: [String], to key: String) -> String? {
        let text = key.unicodeScalars.map(\.value)
        let limit = min(text.count / 4, maximumDistance)
        let distances = names.lazy.filter { $0.utf8.count <= (text.count + limit) * 4 }.compactMap { name in
            EditDistance.between(text, name.unicodeScalars.map(\.value), limit: limit).map { ($0, name) }
        }
        return distances.min { $0.0 < $1.0 }?.1
    }

    private static func listed(_ names: [String]) -> String {
        guard !names.isEmpty else { return "the object is empty" }
        let shown = names.prefix(maximumNames).map { name in
            name.count > maximumCharacters ? name.prefix(maximumCharacters) + "…" : name
        }
        let more = names.count - shown.count
        return "its members are " + shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

extension JSONKind {
    fileprivate var nameUnlessString: String? {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: nil
        case .number: "a number"
        case .true, .false: "a boolean"
        case .null: "null"
        }
    }
}
