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
}

/// How a parameter breaks its definition.
package struct Violation: Hashable, Sendable {
    package enum Rule: String, Sendable, CaseIterable {
        case missing, type, range, length
        case unknownParameter = "unknown-parameter"
        case value
    }

    @Exact package var parameter: String
    package var rule: Rule
    /// What the definition asks for, such as `bigint` or `at most 64 bytes`.
    @Exact package var expected: String
    /// What the payload has, such as `string` or `70 bytes`; never the value itself, which may be private.
    @Exact package var found: String

    package init(parameter: String, rule: Rule, expected: String, found: String) {
        self.parameter = parameter
        self.rule = rule
        self.expected = expected
        self.found = found
    }
}

/// What is worth knowing about an event that does not break its definition.
package struct Warning: Hashable, Sendable {
    package enum Rule: String, Sendable, CaseIterable {
        case obsoleteEvent = "obsolete-event"
        case obsoleteParameter = "obsolete-parameter"
        /// The payload has the same key twice; the last one counts, as for most JSON parsers.
        case duplicateKey = "duplicate-key"
        /// Only the beginning of the payload was read, or journald split it.
        case cut
        /// The entry lacks the field that its source's payload is to come from; this is its MESSAGE.
        case payloadField = "payload-field"
    }

    package var rule: Rule
    @Exact package var parameter: String?

    package init(_ rule: Rule, parameter: String? = nil) {
        self.rule = rule
        self.parameter = parameter
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

/// What resolving found out about one payload, besides its kind.
package struct Findings: Hashable, Sendable {
    package var violations: [Violation]
    package var warnings: [Warning]
    /// Why an event is `malformed`, in words for people, such as `byte 17: expected a value`.
    @Exact package var reason: String?

    package init(violations: [Violation] = [], warnings: [Warning] = [], reason: String? = nil) {
        self.violations = violations
        self.warnings = warnings
        self.reason = reason
    }

    package var isEmpty: Bool { violations.isEmpty && warnings.isEmpty && reason == nil }
}
