package import Model

/// An event in the NDJSON of the API: `{"type":"event","id":4711,…}`.
///
/// A line lacks the members that have no value, but always has `violations` and `warnings`. `uid` identifies the event,
/// not a user; `SenderField` lists what is known about the sender.
package struct EventLine: Sendable, Hashable, DescribedObject {
    package var id: Int64
    package var uid: String
    package var time: WireTime
    package var cursor: String
    package var origin: Origin
    package var level: Level
    package var programLevel: Level?
    package var programTime: WireTime?
    package var pid: Int32?
    /// Whether the query highlights it.
    package var isHighlighted = false
    package var kind: EventKind
    package var resolution: Resolution
    package var violations: [ViolationLine]
    package var warnings: [Warning]
    package var reason: String?
    package var content: Content
    /// The text that the payload was taken from; `nil` if there is no payload, or it is all there was.
    package var text: String?

    /// The level that filters go by.
    package var effectiveLevel: Level { programLevel ?? level }

    package var bootID: String { origin.bootID }
    package var sender: SenderValues { origin.sender }
    package var subsystem: String { sender[.subsystem] ?? "" }
    package var category: String { sender[.category] ?? "" }
    package var event: EventKey? { kind.key }
    package var dictionary: String? { kind.dictionary }
    package var definitionsVersion: String? { kind.definitionsVersion }

    /// What all events of a sender have in common. Like a kind, one object serves many lines.
    package final class Origin: Sendable, Hashable {
        package let bootID: String
        package let sender: SenderValues

        package init(bootID: String, sender: SenderValues) { (self.bootID, self.sender) = (bootID, sender) }

        package static func == (one: Origin, other: Origin) -> Bool {
            one === other || (one.bootID == other.bootID && one.sender == other.sender)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(bootID)
            hasher.combine(sender)
        }
    }

    package enum Content: Sendable, Hashable {
        /// The payload: the text of a JSON object, on one line and otherwise unchanged.
        case payload([UInt8])
        /// The text of a `plain` or `malformed` event. `raw` has its bytes if they are not valid UTF-8; `message` is
        /// repaired then.
        case message(String, raw: [UInt8]?)
    }

    package static let object = ObjectDescription(
        "EventLine", "An event",
        [
            .type("event"),
            member("id", \.id, "Its number in this store, in the order in which events were read", 10),
            member(
                "uid", \.uid,
                "Its identity, the same whenever the store is rebuilt, and on every machine with the same hash.key",
                "00000000000000000000000000013556"),
            member("time", \.time, "When it was sent", .example),
            member("boot_id", \.bootID, "The boot in which it was sent", "5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596"),
            member(
                "cursor", \.cursor, "The position of its entry in the journal, for journalctl", JournalCursor.example),
            member("level", \.level, "How severe it is, by the journal", .notice),
            member(
                "program_level", \.programLevel, "How severe it is, by the program itself; filters by level go by this",
                nil),
            member("program_time", \.programTime, "When it happened, by the program itself", nil),
            member("pid", \.pid, "The sender's process id", 812),
            MemberDescription(
                name: "highlighted", type: .optional(.flag),
                text: "Whether the predicate highlight matches it; absent if not",
                example: nil),
            member("event", \.event, "The key in its payload"),
            member("dictionary", \.dictionary, "The dictionary that covers it", "shop"),
            member(
                "definitions_version", \.definitionsVersion, "The version of the dictionary that it was resolved with",
                "00c0ffee00c0ffee"),
            member("resolution", \.resolution, "Whether its payload matches a definition", .violating),
            member("violations", \.violations, "The rules of its definition that it breaks"),
            member("warnings", \.warnings, "What else there is to say about it", showing: []),
            member("reason", \.reason, "Why it is malformed, or undefined although there is a definition", nil),
            MemberDescription(
                name: "payload", type: .optional(.anyObject), text: "Its payload as it was sent",
                example: [
                    "event_category": "recipe_detail", "event_name": "tap_save_button", "recipe_id": "123456",
                ]),
            MemberDescription(
                name: "message", type: .optional(.text),
                text: """
                    The text of an event without a payload, or the text that the payload was taken from; invalid UTF-8 is \
                    repaired
                    """, example: nil),
            MemberDescription(
                name: "raw_base64", type: .optional(.text),
                text: "The bytes of message in Base64; absent if they are valid UTF-8", example: nil),
        ] + SenderField.allCases.map(MemberDescription.init))
}

extension MemberDescription {
    fileprivate init(_ field: SenderField) {
        let type = field.type == .number ? ValueType.integer : .text
        let number = field.type == .number ? Int(field.example) : nil
        self.init(
            name: field.name, type: field.isOptional ? .optional(type) : type, text: field.description,
            example: number.map(DocumentNode.number) ?? .text(field.example))
    }
}

/// A violation in words.
package struct ViolationLine: Sendable, Hashable, DescribedObject {
    @Exact package var parameter: String
    package var rule: Violation.Rule
    @Exact package var expected: String
    @Exact package var found: String

    package static let object = ObjectDescription(
        "Violation", "A rule of its definition that an event breaks",
        [
            member("parameter", \.parameter, "The parameter that breaks it", "recipe_id"),
            member("rule", \.rule, "The rule", .type),
            member("expected", \.expected, "What the definition expects, such as at most 64 bytes", "bigint"),
            member(
                "found", \.found, "What the payload has, such as 70 bytes; never the value, which may be private",
                "string"),
        ])
}

extension Warning: DescribedObject {
    package static let object = ObjectDescription(
        "Warning", "Something about an event that breaks no rule of its definition",
        [
            member("rule", \.rule, "The kind of warning", .obsoleteParameter),
            member("parameter", \.parameter, "The parameter that it is about", "position"),
        ])
}

extension EventKey: DescribedObject {
    package static let object = ObjectDescription(
        "EventKey", "The category and name by which the definition of an event is found",
        [
            member("category", \.category, "The category", "recipe_detail"),
            member("name", \.name, "The name in the category", "tap_save_button"),
        ])
}

extension JournalCursor {
    static let example =
        "s=0000000000000000000000000000000a;i=a;b=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596;m=f4240;t=6420a1b2c3d4e"
}
