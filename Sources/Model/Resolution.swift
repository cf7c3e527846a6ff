/// What became of an entry when its payload was looked up in the dictionary.
package enum Resolution: String, Sendable, CaseIterable {
    /// Defined, and the payload keeps to its definition. There may be warnings, such as an obsolete parameter.
    case resolved
    /// Defined, but the payload breaks its definition: see the violations.
    case violating
    /// The payload has a key, but no definition has it.
    case undefined
    /// A JSON object without a key.
    case unkeyed
    /// The first byte that is not white space is not `{`.
    case plain
    /// Begins with `{` and does not parse, is too large or too deep; or a damaged entry. The raw bytes are kept.
    case malformed

    /// Whether the payload of such an event is a JSON object.
    package var hasPayload: Bool {
        switch self {
        case .resolved, .violating, .undefined, .unkeyed: true
        case .plain, .malformed: false
        }
    }
}

/// What finds a definition within its dictionary: event category and event name.
package struct EventKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    @Exact package var category: String
    @Exact package var name: String

    package init(category: String, name: String) {
        self.category = category
        self.name = name
    }

    /// `CATEGORY/NAME`, as the command line takes it.
    package var description: String { "\(category)/\(name)" }

    package static func < (one: EventKey, other: EventKey) -> Bool {
        one.category == other.category ? one.name < other.name : one.category < other.category
    }
}

/// Which definition an event was held against. Like `Origin`, one object serves all events that share it.
package final class EventKind: Hashable, Sendable {
    /// The dictionary's name in the settings; `nil` when no dictionary covers the event's subsystem and category.
    package let dictionary: String?
    /// Which content the dictionary had: 16 hexadecimal digits, the same for the same files.
    package let definitionsVersion: String?
    /// `nil` for events that have none: `unkeyed`, `plain` and `malformed`.
    package let key: EventKey?

    package init(dictionary: String?, definitionsVersion: String?, key: EventKey?) {
        self.dictionary = dictionary
        self.definitionsVersion = definitionsVersion
        self.key = key
    }

    package static func == (one: EventKind, other: EventKind) -> Bool {
        one === other
            || (one.dictionary == other.dictionary && one.definitionsVersion == other.definitionsVersion
                && one.key == other.key)
    }

    package func hash(into hasher: inout Hasher) {
        dictionary.hashExactly(into: &hasher)
        definitionsVersion.hashExactly(into: &hasher)
        hasher.combine(key)
    }
}

/// An entry after resolution, before the store has given it an id.
package struct ResolvedEvent: Sendable {
    package var entry: Entry
    package var resolution: Resolution
    package var kind: EventKind
    /// `nil`, which is the usual case, when there is nothing to say.
    package var findings: Findings?

    package init(entry: Entry, resolution: Resolution, kind: EventKind, findings: Findings? = nil) {
        self.entry = entry
        self.resolution = resolution
        self.kind = kind
        self.findings = findings
    }
}

/// An `EntryBatch` after resolution: what the store saves in one transaction.
package struct ResolvedBatch: Sendable {
    /// The payloads: `events[i].entry.payload` is a range in it.
    package var bytes: [UInt8]
    package var events: [ResolvedEvent]
    package var gaps: [Gap]
    package var progress: ReadingProgress
    /// As in `EntryBatch`.
    package var entriesRead: Int
    package var lastRealtimeMicroseconds: UInt64?
    package var reachedEnd: Bool
    package var readUntilMicroseconds: UInt64?

    package init(
        bytes: [UInt8] = [], events: [ResolvedEvent] = [], gaps: [Gap] = [], progress: ReadingProgress = .init(),
        entriesRead: Int = 0, lastRealtimeMicroseconds: UInt64? = nil, reachedEnd: Bool = false,
        readUntilMicroseconds: UInt64? = nil
    ) {
        self.bytes = bytes
        self.events = events
        self.gaps = gaps
        self.progress = progress
        self.entriesRead = entriesRead
        self.lastRealtimeMicroseconds = lastRealtimeMicroseconds
        self.reachedEnd = reachedEnd
        self.readUntilMicroseconds = readUntilMicroseconds
    }
}
