extension OpenAPIExamples {
    static let reports: [String: DocumentNode] = [
        "undefinedReport": undefinedReportReply, "unseenReport": unseenReportReply,
        "violationsReport": violationsReportReply, "obsoleteReport": obsoleteReportReply,
        "unkeyedReport": unkeyedReportReply, "malformedReport": malformedReportReply,
    ]

    private static let lookedAt: DocumentNode = [
        "events": ["resolved": 1200, "violating": 34, "undefined": 1242, "unkeyed": 14, "malformed": 3],
        "gaps": [
            ["cause": "deleted", "records": 2, "missing": 3210, "uncounted": 1],
            ["cause": "missing", "records": 1, "missing": 0, "at_most": 12],
        ],
    ]

    private static let undefinedReportReply: DocumentNode = [
        "report": "undefined",
        "rows": [
            [
                "dictionary": "shop", "category": "recipe_detail", "name": "tap_save_buton", "count": 1234,
                "first_seen": "2026-11-01T00:00:00.000000Z", "last_seen": "2026-11-20T15:00:01.500000Z",
                "sample_event": 4711,
                "closest": ["category": "recipe_detail", "name": "tap_save_button", "distance": 1],
            ]
        ], "total": 1, "looked_at": lookedAt,
    ]

    private static let unseenReportReply: DocumentNode = [
        "report": "unseen",
        "rows": [
            [
                "dictionary": "shop", "category": "search", "name": "start", "description": "A search begins.",
                "watched_since": "2026-09-30T00:00:00.000000Z",
            ]
        ], "total": 1, "looked_at": lookedAt,
    ]

    private static let violationsReportReply: DocumentNode = [
        "report": "violations",
        "rows": [
            [
                "dictionary": "shop", "category": "recipe_detail", "name": "tap_save_button", "parameter": "recipe_id",
                "rule": "type", "count": 30, "first_seen": "2026-11-01T00:00:00.000000Z",
                "last_seen": "2026-11-20T15:00:01.500000Z", "sample_event": 10,
            ]
        ], "total": 1, "looked_at": lookedAt,
    ]

    private static let obsoleteReportReply: DocumentNode = [
        "report": "obsolete",
        "rows": [
            [
                "dictionary": "shop", "category": "recipe_detail", "name": "old_event", "still_seen": 7,
                "last_seen": "2026-10-03T00:00:00.000000Z", "sample_event": 3,
            ]
        ], "total": 1, "looked_at": lookedAt,
    ]

    private static let unkeyedReportReply: DocumentNode = [
        "report": "unkeyed",
        "rows": [
            [
                "dictionary": "shop", "origin": ["subsystem": "com.example.shop", "category": "ActivityLog"],
                "count": 11, "first_seen": "2026-11-19T00:00:00.000000Z", "last_seen": "2026-11-20T15:00:01.500000Z",
                "sample_event": 4712, "reason": "no event_name: event_nmae looks like it",
            ]
        ], "total": 1, "looked_at": lookedAt,
    ]

    private static let malformedReportReply: DocumentNode = [
        "report": "malformed",
        "rows": [
            [
                "dictionary": "shop", "origin": ["subsystem": "com.example.shop", "category": "ActivityLog"],
                "count": 3, "first_seen": "2026-11-19T00:00:00.000000Z", "last_seen": "2026-11-20T15:00:01.500000Z",
                "sample_event": 4713, "reason": "byte 17: expected a value",
            ]
        ], "total": 1, "looked_at": lookedAt,
    ]
}
