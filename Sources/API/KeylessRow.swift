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
    /// The largest edit distance at which a name is taken for a misspelled key.
    private static let maximumDistance = 3
    /// How many names of a payload are shown, and how much of each, since payloads may have any names.
    private static let maximumNames = 8
    private static let maximumCharacters = 40

    /// Returns the reason in words, such as `no event_name: event_nmae looks like it`. It has names of members only,
    /// since values may be private.
    /// - Parameters:
    ///   - payload: a JSON object.
    ///   - keys: the members that must be strings.
    /// - Returns: `nil` if all of them are, or the payload is not a JSON object.
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
