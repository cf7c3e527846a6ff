import API
import Model

/// The schemas of what is sent. Properties that may be absent are those not listed as required.
enum OpenAPISchemas {
    static let all: [String: DocumentNode] = [
        "Problem": object(
            ["type": text, "title": text, "status": integer, "detail": text, "parameter": text],
            optional: ["detail", "parameter"]),
        "StreamLine": [
            "oneOf": .list(["EventLine", "GapLine", "MissedLine", "ErrorLine"].map(OpenAPIDocument.reference))
        ],
        "EventLine": eventLine,
        "Gap": object(gap, optional: ["count", "from", "to"]),
        "GapLine": object(
            gap.merging(["type": ["const": "gap"]]) { $1 }, optional: ["count", "from", "to"]),
        "MissedLine": object(["type": ["const": "missed"], "count": integer]),
        "ErrorLine": object(["type": ["const": "error"], "problem": OpenAPIDocument.reference("Problem")]),
        "EventDetail": object(
            [
                "event": OpenAPIDocument.reference("EventLine"), "source": text,
                "definition": ["oneOf": [OpenAPIDocument.reference("Definition"), ["type": "null"]]],
                "current_version": text, "links": list("Link"), "journal": journal,
            ], optional: ["current_version"]),
        "Link": object(["name": text, "url": ["type": "string", "format": "uri"]]),
        "GapList": object(["gaps": list("Gap"), "next": integer], optional: ["next"]),
        "Reload": object(["changes": texts, "warnings": texts, "dictionaries": list("Dictionary")]),
        "Status": status,
    ].merging(dictionaries) { $1 }.merging(reports) { $1 }

    private static let eventLine = object(
        [
            "type": ["const": "event"], "id": integer, "uid": text, "time": time, "boot_id": text, "cursor": text,
            "host": text, "subsystem": text, "category": text, "level": choice(Level.allCases.map(\.name)),
            "identifier": text, "unit": text, "pid": integer, "process_uid": integer,
            "event": object(["category": text, "name": text]), "dictionary": text, "definitions_version": text,
            "resolution": choice(Resolution.allCases.map(\.rawValue)),
            "violations": array(
                object([
                    "parameter": text, "rule": choice(Violation.Rule.allCases.map(\.rawValue)), "expected": text,
                    "found": text,
                ])),
            "warnings": array(
                object(
                    ["rule": choice(Warning.Rule.allCases.map(\.rawValue)), "parameter": text],
                    optional: ["parameter"])),
            "reason": text, "payload": ["type": "object"], "message": text, "raw_base64": text,
        ],
        optional: [
            "identifier", "unit", "pid", "process_uid", "event", "dictionary", "definitions_version", "reason",
            "payload", "message", "raw_base64",
        ])

    private static let gap: [String: DocumentNode] = [
        "id": integer, "after": integer, "cause": choice(Gap.Cause.allCases.map(\.rawValue)), "time": time,
        "count": integer, "from": text, "to": text, "message": text,
    ]

    private static let journal = object(
        [
            "state": choice(["present", "gone", "withheld", "unreadable"]), "message": text,
            "fields": array(object(["name": text, "value": text, "base64": text], optional: ["value", "base64"])),
        ], optional: ["message", "fields"])
}

extension OpenAPISchemas {
    private static let status = object(
        [
            "version": text, "state": choice(StatusReply.State.allCases.map(\.rawValue)),
            "problems": array(object(["what": text, "hint": text], optional: ["hint"])),
            "started_at": time, "uptime_seconds": number, "pid": integer,
            "journal": object(
                [
                    "location": text, "cursor": text, "position_time": time, "complete_until": time,
                    "lag_seconds": number,
                    "entries_read": integer, "entries_per_second": number,
                    "catch_up": object(
                        ["percent": number, "entries_per_second": number, "seconds_left": number],
                        optional: ["seconds_left"]),
                    "unreadable_files": array(object(["path": text, "reason": text])),
                ], optional: ["cursor", "position_time", "complete_until", "lag_seconds", "catch_up"]),
            "events": object(
                [
                    "stored": integer, "oldest_time": time, "newest_time": time, "newest_id": integer,
                    "seen": counts, "resolved_again": integer,
                ], optional: ["oldest_time", "newest_time"]),
            "dictionaries": list("Dictionary"), "sinks": array(sink),
            "gaps": object(["count": integer, "dropped_events": integer]),
            "store": object([
                "path": text, "bytes": integer, "max_bytes": integer, "when_full": text, "paused": flag,
            ]),
            "tails": integer,
            "privacy": choice(PrivacyMode.allCases.map(\.rawValue)),
            "resolving_again": object(["done": integer, "total": integer]),
        ], optional: ["resolving_again"])

    private static let sink = object(
        [
            "name": text, "url": text, "state": choice(SinkStatus.State.allCases.map(\.rawValue)),
            "position": integer, "lag_events": integer, "lag_seconds": number, "delivered_events": integer,
            "delivered_batches": integer, "last_success": time, "last_error": text, "next_attempt": time,
        ], optional: ["last_success", "last_error", "next_attempt"])

    static let text: DocumentNode = ["type": "string"]
    static let time: DocumentNode = ["type": "string", "format": "date-time"]
    static let integer: DocumentNode = ["type": "integer"]
    static let number: DocumentNode = ["type": "number"]
    static let flag: DocumentNode = ["type": "boolean"]
    static let texts = array(text)
    /// By resolution.
    static let counts: DocumentNode = ["type": "object", "additionalProperties": integer]

    static func choice(_ names: [String]) -> DocumentNode {
        ["type": "string", "enum": .list(names.map(DocumentNode.text))]
    }

    static func array(_ items: DocumentNode) -> DocumentNode { ["type": "array", "items": items] }
    static func list(_ schema: String) -> DocumentNode { array(OpenAPIDocument.reference(schema)) }

    static func object(_ properties: [String: DocumentNode], optional: Set<String> = []) -> DocumentNode {
        let required = properties.keys.filter { !optional.contains($0) }.sorted()
        return [
            "type": "object", "properties": .object(properties), "required": .list(required.map(DocumentNode.text)),
        ]
    }
}
