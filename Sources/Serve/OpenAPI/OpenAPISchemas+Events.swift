import API
import Model

extension OpenAPISchemas {
    static let events: [String: DocumentNode] = [
        "StreamLine": [
            "oneOf": .list(
                ["EventLine", "GapLine", "MissedLine", "LateLine", "ErrorLine"].map(OpenAPIDocument.reference)),
            "description": "One line of a stream",
        ],
        "EventLine": eventLine,
        "Gap": object(gap, optional: optionalOfGap),
        "GapLine": object(
            gap.merging(["type": constant("gap", "What kind of line this is")]) { $1 },
            optional: optionalOfGap),
        "MissedLine": object([
            "type": constant("missed", "What kind of line this is"),
            "count": integer("How many events a tail skipped, as it was too slow"),
        ]),
        "LateLine": object([
            "type": constant("late", "What kind of line this is"),
            "count": integer(
                "How many events a tail left out, as they were sent before it began; late=true shows them"),
        ]),
        "ErrorLine": object([
            "type": constant("error", "What kind of line this is"),
            "problem": reference("Problem", "Why the stream ends here"),
        ]),
        "EventDetail": object(
            [
                "event": reference("EventLine", "The event as a stream has it"),
                "source": text("Which of the settings' sources took the entry, as the settings write it"),
                "definition": [
                    "oneOf": [OpenAPIDocument.reference("Definition"), ["type": "null"]],
                    "description": "The event's definition as it is now; null where there is none",
                ],
                "current_version": text(
                    "The dictionary's version in force, where it is another than the one the event was resolved with"),
                "links": list("Link", "The event elsewhere"), "journal": journal,
            ], optional: ["current_version"]),
        "Link": object([
            "name": text("What the settings call it"),
            "url": ["type": "string", "format": "uri", "description": "Where it leads"],
        ]),
        "GapList": object(
            [
                "gaps": list("Gap", "The records, oldest first"),
                "next": integer("Where the next page goes on: after= this; absent when there is no more"),
            ], optional: ["next"]),
    ]

    private static let eventLine = object(
        [
            "type": constant("event", "What kind of line this is"),
            "id": integer("Its row in this store, in the order in which they came"),
            "uid": text("Its identity, the same on every machine and in every rebuild of the store"),
            "time": time("When it was sent"), "boot_id": text("The boot that it was sent in"),
            "cursor": text("Its entry's place in the journal, as journalctl takes it"),
            "level": choice(Level.allCases.map(\.name), "How severe it is"),
            "pid": integer("The sender's process id"),
            "event": key("The key in its payload"), "dictionary": text("The dictionary that covers it"),
            "definitions_version": text("The dictionary's version that it was resolved with"),
            "resolution": choice(Resolution.allCases.map(\.rawValue), "What became of looking it up"),
            "violations": array(violation, "Which rules of its definition it breaks"),
            "warnings": array(warning, "What its definition does not say, or says is obsolete"),
            "reason": text("Why it is malformed"),
            "payload": ["type": "object", "description": "What it says, as it was sent"],
            "message": text("The text of an event without a JSON payload; invalid UTF-8 is repaired"),
            "raw_base64": text("The bytes of message in Base64, where they are not UTF-8"),
        ].merging(senderFields) { $1 },
        optional: Set([
            "pid", "event", "dictionary", "definitions_version", "reason", "payload", "message", "raw_base64",
        ]).union(SenderField.allCases.filter(\.isOptional).map(\.name)))

    private static let senderFields = Dictionary(
        uniqueKeysWithValues: SenderField.allCases.map { field in
            (field.name, field.type == .number ? integer(field.description) : text(field.description))
        })

    private static let violation = object([
        "parameter": text("The parameter that breaks it"),
        "rule": choice(Violation.Rule.allCases.map(\.rawValue), "The rule that is broken"),
        "expected": text("What the definition asks for"), "found": text("What the payload has"),
    ])

    private static let warning = object(
        [
            "rule": choice(Warning.Rule.allCases.map(\.rawValue), "What is to be looked at"),
            "parameter": text("The parameter that it is about"),
        ], optional: ["parameter"])

    private static let gap: [String: DocumentNode] = [
        "id": integer("The record's number"),
        "after": integer("The event that the gap lies behind; 0: before the first"),
        "cause": choice(Gap.Cause.allCases.map(\.rawValue), "Why something is missing"),
        "time": time("When the gap was found"), "count": integer("How many entries or events are missing"),
        "certainty": choice(Gap.Certainty.allCases.map(\.rawValue), "Whether count is known, or the most it may be"),
        "from": text("The cursor of the last entry before the gap"),
        "to": text("The cursor of the first entry after the gap"), "file": file, "numbers": numbers,
        "message": text("The same for people"),
    ]

    private static let optionalOfGap: Set<String> = ["count", "from", "to", "file", "numbers"]

    private static let file = object(
        [
            "id": text("The file's own id, which stays when it is renamed"),
            "path": text("Where it was when it was read last"), "from": integer("The first byte that is missing"),
            "to": integer("The byte behind the last one"),
        ], "The part of a journal file that could not be read")

    private static let numbers = object(
        ["first": integer("The first of them"), "last": integer("The last of them")],
        "The sequence numbers that no file has, of the cause missing")

    private static let journal = object(
        [
            "state": choice(["present", "gone", "withheld", "unreadable"], "What came of reading the entry back"),
            "message": text("Why there are no fields"),
            "fields": array(field, "Every field, in the order of the journal"),
        ], optional: ["message", "fields"], "The event's journal entry")

    private static let field = object(
        [
            "name": text("Its name; one may occur more than once"), "value": text("Its value, where that is UTF-8"),
            "base64": text("Its value in Base64, where it is not UTF-8"),
            "cut": flag("Whether the value is only the beginning of what the journal has"),
        ], optional: ["value", "base64", "cut"])

    static func key(_ description: String) -> DocumentNode {
        object(["category": text("The category of the key"), "name": text("The name in the category")], description)
    }
}
