import Model

/// What the daemon answers with, as the OpenAPI document shows it.
enum OpenAPIExamples {
    /// By the id of the operation; of a stream, the lines.
    static let all: [String: DocumentNode] = daemon.merging(dictionaries) { _, last in last }.merging(reports) {
        _, last in last
    }

    static let dictionary: DocumentNode = [
        "name": "shop", "path": "/etc/gloss/definitions", "subsystem": "com.example.*", "category": "ActivityLog",
        "version": "00c0ffee00c0ffee", "definitions": 3, "loaded_at": "2026-11-20T00:00:00.000000Z",
        "key": ["event_category", "event_name"], "types": 0, "warnings": 0, "problems": [], "problems_omitted": 0,
    ]

    static let event: DocumentNode = .object(knownOfEvent.merging(sender) { $1 })

    static let sender = Dictionary(
        uniqueKeysWithValues: SenderField.allCases.map { field in
            let number = field.type == .number ? Int(field.example) : nil
            return (field.name, number.map(DocumentNode.number) ?? .text(field.example))
        })

    private static let knownOfEvent: [String: DocumentNode] = [
        "type": "event", "id": 10, "uid": "00000000000000000000000000013556", "time": "2026-11-20T15:00:01.500000Z",
        "boot_id": "5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596",
        "cursor":
            "s=0000000000000000000000000000000a;i=a;b=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596;m=f4240;t=6420a1b2c3d4e;x=1f",
        "level": "notice", "pid": 812,
        "event": ["category": "recipe_detail", "name": "tap_save_button"], "dictionary": "shop",
        "definitions_version": "00c0ffee00c0ffee", "resolution": "violating",
        "violations": [["parameter": "recipe_id", "rule": "type", "expected": "bigint", "found": "string"]],
        "warnings": [],
        "payload": ["event_category": "recipe_detail", "event_name": "tap_save_button", "recipe_id": "123456"],
    ]

    static let gap: DocumentNode = .object(deletedGap.merging(["type": "gap"]) { $1 })

    private static let deletedGap: [String: DocumentNode] = [
        "id": 3, "after": 10, "cause": "deleted", "time": "2026-11-20T15:00:02.000000Z", "count": 3210,
        "certainty": "exact",
        "from":
            "s=0000000000000000000000000000000a;i=a;b=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596;m=f4240;t=6420a1b2c3d4e;x=1f",
        "to":
            "s=0000000000000000000000000000000a;i=c95;b=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596;m=f4240;t=6420a1b2c3d4e;x=1f",
        "message": "a journal file was deleted before it was read to its end",
    ]

    private static let damagedGap: DocumentNode = [
        "id": 4, "after": 10, "cause": "damaged", "time": "2026-11-20T15:00:03.000000Z", "count": 3,
        "certainty": "at_most",
        "file": [
            "id": "b2c3d4e5f60718293a4b5c6d7e8f9012", "path": "/var/log/journal/m/system@1.journal", "from": 81920,
            "to": 86016,
        ],
        "message": "a part of a journal file could not be read",
    ]

    private static let missingGap: DocumentNode = [
        "id": 5, "after": 12, "cause": "missing", "time": "2026-11-20T15:00:04.000000Z", "count": 12,
        "certainty": "at_most", "numbers": ["first": 4711, "last": 4722],
        "message": "no journal file has these sequence numbers",
    ]

    static let daemon: [String: DocumentNode] = [
        "status": statusReply, "reload": reloadReply, "openAPI": openAPIReply, "events": eventsReply,
        "event": eventReply, "gaps": gapsReply, "verify": verifyReply,
    ]

    private static let statusReply: DocumentNode = [
        "version": "0.1.0", "state": "running", "problems": [], "started_at": "2026-11-20T00:00:00.000000Z",
        "uptime_seconds": 93784, "pid": 812,
        "journal": [
            "location": "machine", "files": 12,
            "position_time": "2026-11-20T15:00:06.000000Z", "complete_until": "2026-11-21T02:00:00.000000Z",
            "lag_seconds": 0, "entries_read": 1234567, "entries_per_second": 12,
            "entries": ["read": 1203400, "stored": 512345, "passed": 690000, "duplicates": 55, "expired": 1000],
            "unreadable_files": [],
        ],
        "events": [
            "stored": 512000, "oldest_time": "2026-11-01T00:00:00.000000Z",
            "newest_time": "2026-11-20T15:00:06.000000Z", "newest_id": 512345,
            "ever_seen": [
                "resolved": 500000, "violating": 1200, "undefined": 345, "unkeyed": 0, "plain": 10000, "malformed": 800,
            ], "reprocessed": 0,
        ], "dictionaries": [dictionary],
        "sinks": [
            [
                "name": "upstream", "url": "https://logs.example.com/ingest", "state": "ok", "position": 512345,
                "lag_events": 0, "lag_seconds": 0, "delivered_events": 512345, "delivered_batches": 1025,
                "last_success": "2026-11-20T15:00:07.000000Z",
            ]
        ], "gaps": ["count": 0, "dropped_events": 0],
        "store": [
            "path": "/var/lib/gloss/events.sqlite", "bytes": 151000000, "max_bytes": 1073741824, "when_full": "pause",
            "paused": false,
            "sources": [
                [
                    "source": "subsystem: com.example.*", "events": 512000, "bytes": 12900000, "max_bytes": 214748364,
                    "keep_seconds": 604800,
                ]
            ],
        ], "tails": 1, "privacy": "protect",
    ]

    private static let verifyReply: DocumentNode = [
        [
            "type": "progress", "percent": 50, "entries": 601_700, "stored": 255_840, "passed": 345_000,
            "duplicates": 55, "expired": 800, "damaged": 5, "unexplained": 0, "missing": 0, "unexplained_numbers": 0,
            "unread": 12, "unreadable_files": 0,
        ],
        [
            "type": "verification", "whole": false, "entries": 1_203_400, "stored": 512_339, "passed": 690_000,
            "duplicates": 55, "expired": 1000, "damaged": 5, "unexplained": 1, "missing": 12, "unexplained_numbers": 0,
            "unread": 12, "unreadable_files": 0,
            "examples": [
                """
                not in the store: s=0000000000000000000000000000000a;i=a;b=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596;m=f4240;\
                t=6420a1b2c3d4e;x=1f
                """
            ],
        ],
    ]

    private static let reloadReply: DocumentNode = [
        "changes": ["shop: 2 definitions added"], "warnings": [], "dictionaries": [dictionary],
    ]

    private static let openAPIReply: DocumentNode = [
        "openapi": "3.1.0", "info": ["title": "Gloss control API", "version": "1"], "paths": [:],
    ]

    private static let eventsReply: DocumentNode = [event, gap]

    private static let eventReply: DocumentNode = [
        "event": event, "source": "subsystem: com.example.*",
        "definition": [
            "dictionary": "shop", "key": ["event_category", "event_name"], "category": "recipe_detail",
            "name": "tap_save_button", "description": "When the button was tapped.",
            "category_description": "A recipe's page.", "obsolete": false,
            "parameters": [
                [
                    "name": "recipe_id", "type": "bigint", "custom": false, "optional": false, "obsolete": false,
                    "description": ["Id of the recipe", "Never 0"], "privacy": "public",
                ]
            ], "category_parameters": [],
            "common_parameters": [
                [
                    "name": "user_id", "type": "bigint", "custom": false, "optional": false, "obsolete": false,
                    "description": ["Id of the user"], "privacy": "public",
                ]
            ], "source": "recipe_detail.md:12",
        ],
        "journal": [
            "state": "present",
            "fields": [
                ["name": "PRIORITY", "value": "5"], ["name": "SUBSYSTEM", "value": "com.example.shop"],
                ["name": "THUMBNAIL", "base64": "/9j/", "cut": true],
            ],
        ], "links": [["name": "SQL", "url": "https://sql.example.com/?q=recipe_detail"]],
        "current_version": "c0ffee00c0ffee00",
    ]

    private static let gapsReply: DocumentNode = ["gaps": [.object(deletedGap), damagedGap, missingGap]]
}
