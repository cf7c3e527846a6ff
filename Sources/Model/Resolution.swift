/// The result of looking an entry's payload up in the dictionary.
package enum Resolution: String, Sendable, CaseIterable {
    /// The event is defined and its payload conforms to the definition. It may have warnings, such as an obsolete
    /// parameter.
    case resolved
    /// The event is defined but its payload breaks the definition: see the violations.
    case violating
    /// The payload has a key, but no definition has that key.
    case undefined
    /// The payload is a JSON object without a key.
    case unkeyed
    /// The first byte of the payload that is not white space is not `{`.
    case plain
    /// The payload begins with `{` but is not valid JSON, was cut, is too deep or has too many members, or the entry is
    /// damaged. It is kept as is.
    case malformed

    /// Whether the payload of such an event is a JSON object.
    package var hasPayload: Bool {
        switch self {
        case .resolved, .violating, .undefined, .unkeyed: true
        case .plain, .malformed: false
        }
    }
}

/// The key of a definition within its dictionary: event category and event name.
package struct EventKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    @Exact package var category: String
    @Exact package var name: String

    package init(category: String, name: String) {
        self.category = category
        self.name = name
    }

    /// The inverse of `description`. The name of a category has no `/`, that of an event may have some.
    package init?(path: String) {
        guard let parts = path.parts(at: "/") else { return nil }
        self.init(category: String(parts.before), name: String(parts.after))
    }

    /// `CATEGORY/NAME`, as the command line accepts it. An undefined event whose payload has only a name has an empty category.
    package var description: String { "\(category)/\(name)" }

    package static func < (one: EventKey, other: EventKey) -> Bool {
        one.category == other.category ? one.name < other.name : one.category < other.category
    }
}

/// The definition that an event was validated against. Like `Origin`, one object serves all events that share it.
package final class EventKind: Hashable, Sendable {
    /// The dictionary's name in the settings; `nil` when no dictionary covers the event's subsystem and category.
    package let dictionary: String?
    /// The version of the dictionary's content: 16 hexadecimal digits, the same for the same files.
    package let definitionsVersion: String?
    /// The key; `nil` for events that have none: `unkeyed`, `plain` and `malformed`.
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

/// An entry after resolution, before the store gives it an id.
package struct ResolvedEvent: Sendable {
    package var entry: Entry
    package var resolution: Resolution
    package var kind: EventKind
    /// The findings; usually `nil`.
    package var findings: Findings?
    /// The text that the payload was taken from; `nil` if the payload is all there was.
    package var text: MessageText?
    package var program: ProgramFacts

    package init(
        entry: Entry, resolution: Resolution, kind: EventKind, findings: Findings? = nil, text: MessageText? = nil,
        program: ProgramFacts = .none
    ) {
        self.entry = entry
        self.resolution = resolution
        self.kind = kind
        self.findings = findings
        self.text = text
        self.program = program
    }

    /// The size of the payload and its text.
    package var contentBytes: Int { entry.payload.count + (text?.bytes.count ?? 0) }
}

/// An `EntryBatch` after resolution, which the store saves in one transaction.
package struct ResolvedBatch: Sendable {
    /// The payloads: `events[i].entry.payload` is a range in it.
    package var bytes: [UInt8]
    package var events: [ResolvedEvent]
    package var gaps: [Gap]
    package var progress: ReadingProgress
    /// As in `EntryBatch`.
    package var entriesRead: Int
    package var entriesPassed: Int
    package var lastRealtimeMicroseconds: UInt64?
    package var reachedEnd: Bool
    package var readUntilMicroseconds: UInt64?

    package init(
        bytes: [UInt8] = [], events: [ResolvedEvent] = [], gaps: [Gap] = [], progress: ReadingProgress = .init(),
        entriesRead: Int = 0, entriesPassed: Int = 0, lastRealtimeMicroseconds: UInt64? = nil,
        reachedEnd: Bool = false, readUntilMicroseconds: UInt64? = nil
    ) {
        self.bytes = bytes
        self.events = events
        self.gaps = gaps
        self.progress = progress
        self.entriesRead = entriesRead
        self.entriesPassed = entriesPassed
        self.lastRealtimeMicroseconds = lastRealtimeMicroseconds
        self.reachedEnd = reachedEnd
        self.readUntilMicroseconds = readUntilMicroseconds
    }
}
