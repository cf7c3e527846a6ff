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
        "EventDetail": object([
            "event": OpenAPIDocument.reference("EventLine"), "source": text,
            "definition": ["oneOf": [OpenAPIDocument.reference("Definition"), ["type": "null"]]],
            "journal": journal,
        ]),
        "GapList": object(["gaps": list("Gap"), "next": integer], optional: ["next"]),
        "DictionaryList": object(["dictionaries": list("Dictionary")]),
        "Dictionary": object(
            [
                "name": text, "path": text, "subsystem": text, "category": text, "version": text,
                "definitions": integer, "loaded_at": time, "problem": text,
            ], optional: ["problem"]),
        "Parameter": object(
            [
                "name": text, "type": text, "custom": flag, "values": texts, "same_as": text, "optional": flag,
                "max_bytes": integer, "obsolete": flag, "description": texts,
            ], optional: ["values", "same_as", "max_bytes"]),
        "Definition": object([
            "dictionary": text, "category": text, "name": text, "description": text, "category_description": text,
            "obsolete": flag, "parameters": list("Parameter"), "category_parameters": list("Parameter"),
            "common_parameters": list("Parameter"), "source": text,
        ]),
        "DefinitionList": object([
            "dictionary": text, "version": text, "common_parameters": list("Parameter"),
            "categories": array(category),
        ]),
        "Reload": object(["changes": texts, "warnings": texts, "dictionaries": list("Dictionary")]),
        "Status": status,
    ]

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
            "state": choice(["present", "gone", "unreadable"]), "message": text,
            "fields": array(object(["name": text, "value": text, "base64": text], optional: ["value", "base64"])),
        ], optional: ["message", "fields"])

    private static let category = object(
        [
            "name": text, "title": text, "description": text, "parameters": list("Parameter"),
            "definitions": array(
                object([
                    "name": text, "description": text, "obsolete": flag, "parameters": list("Parameter"),
                ])),
        ], optional: ["title"])
}

extension OpenAPISchemas {
    private static let status = object([
        "version": text, "state": choice(StatusReply.State.allCases.map(\.rawValue)),
        "problems": array(object(["what": text, "hint": text], optional: ["hint"])),
        "started_at": time, "uptime_seconds": number, "pid": integer,
        "journal": object(
            [
                "location": text, "cursor": text, "position_time": time, "lag_seconds": number,
                "entries_read": integer, "entries_per_second": number,
                "catch_up": object(
                    ["percent": number, "entries_per_second": number, "seconds_left": number],
                    optional: ["seconds_left"]),
                "unreadable_files": array(object(["path": text, "reason": text])),
            ], optional: ["cursor", "position_time", "lag_seconds", "catch_up"]),
        "events": object(
            [
                "stored": integer, "oldest_time": time, "newest_time": time, "newest_id": integer,
                "seen": ["type": "object", "additionalProperties": integer],
            ], optional: ["oldest_time", "newest_time"]),
        "dictionaries": list("Dictionary"), "sinks": array(sink),
        "gaps": object(["count": integer, "dropped_events": integer]),
        "store": object([
            "path": text, "bytes": integer, "max_bytes": integer, "when_full": text, "paused": flag,
        ]),
        "tails": integer,
    ])

    private static let sink = object(
        [
            "name": text, "url": text, "state": choice(SinkStatus.State.allCases.map(\.rawValue)),
            "position": integer, "lag_events": integer, "lag_seconds": number, "delivered_events": integer,
            "delivered_batches": integer, "last_success": time, "last_error": text, "next_attempt": time,
        ], optional: ["last_success", "last_error", "next_attempt"])

    private static let text: DocumentNode = ["type": "string"]
    private static let time: DocumentNode = ["type": "string", "format": "date-time"]
    private static let integer: DocumentNode = ["type": "integer"]
    private static let number: DocumentNode = ["type": "number"]
    private static let flag: DocumentNode = ["type": "boolean"]
    private static let texts = array(text)

    private static func choice(_ names: [String]) -> DocumentNode {
        ["type": "string", "enum": .list(names.map(DocumentNode.text))]
    }

    private static func array(_ items: DocumentNode) -> DocumentNode { ["type": "array", "items": items] }
    private static func list(_ schema: String) -> DocumentNode { array(OpenAPIDocument.reference(schema)) }

    private static func object(_ properties: [String: DocumentNode], optional: Set<String> = []) -> DocumentNode {
        let required = properties.keys.filter { !optional.contains($0) }.sorted()
        return [
            "type": "object", "properties": .object(properties), "required": .list(required.map(DocumentNode.text)),
        ]
    }
}
