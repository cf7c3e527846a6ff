extension OpenAPIExamples {
    static let dictionaries: [String: DocumentNode] = [
        "dictionaries": dictionariesReply, "definitions": definitionsReply, "definition": definitionReply,
        "versions": versionsReply, "version": versionReply,
    ]

    private static let dictionariesReply: DocumentNode = ["dictionaries": [dictionary]]

    private static let definitionsReply: DocumentNode = [
        "dictionary": "shop", "version": "00c0ffee00c0ffee", "key": ["event_category", "event_name"],
        "common_parameters": [
            [
                "name": "user_id", "type": "bigint", "custom": false, "optional": false, "obsolete": false,
                "description": ["Id of the user"], "privacy": "public",
            ]
        ],
        "categories": [
            [
                "name": "recipe_detail", "title": "recipe_detail", "description": "A recipe's page.", "parameters": [],
                "definitions": [
                    [
                        "name": "tap_save_button", "description": "When the button was tapped.", "obsolete": false,
                        "parameters": [
                            [
                                "name": "recipe_id", "type": "bigint", "custom": false, "optional": false,
                                "obsolete": false, "description": ["Id of the recipe", "Never 0"], "privacy": "public",
                            ]
                        ], "seen": ["resolved": 1200, "violating": 34], "state": "seen",
                        "last_seen": "2026-11-20T15:00:01.500000Z",
                    ]
                ],
            ]
        ], "total": 1,
    ]

    private static let definitionReply: DocumentNode = [
        "dictionary": "shop", "key": ["event_category", "event_name"], "category": "recipe_detail",
        "name": "tap_save_button", "description": "When the button was tapped.",
        "category_description": "A recipe's page.", "obsolete": false,
        "parameters": [
            [
                "name": "recipe_id", "type": "bigint", "custom": false, "optional": false, "obsolete": false,
                "description": ["Id of the recipe", "Never 0"], "privacy": "public",
            ],
            [
                "name": "keyword", "type": "string", "custom": false, "optional": true, "obsolete": false,
                "description": ["What was searched for before"], "max_bytes": 256, "privacy": "hash",
            ],
        ], "category_parameters": [],
        "common_parameters": [
            [
                "name": "user_id", "type": "bigint", "custom": false, "optional": false, "obsolete": false,
                "description": ["Id of the user"], "privacy": "private", "role": "user",
            ]
        ], "source": "recipe_detail.md:12", "version": "00c0ffee00c0ffee", "loaded_at": "2026-11-20T00:00:00.000000Z",
        "state": "seen",
        "usage": [
            "total": ["resolved": 1200, "violating": 34], "day": ["resolved": 12],
            "week": ["resolved": 118, "violating": 2], "first_seen": "2026-10-01T03:04:05.000000Z",
            "last_seen": "2026-11-20T15:00:01.500000Z", "watched_since": "2026-09-30T00:00:00.000000Z",
        ],
        "violations": [
            ["parameter": "recipe_id", "rule": "type", "count": 30, "last_seen": "2026-11-20T15:00:01.500000Z"]
        ], "links": [["name": "SQL", "url": "https://sql.example.com/?q=recipe_detail%2Ftap_save_button"]],
        "example": .object(example.merging(sender) { $1 }),
    ]

    private static let example: [String: DocumentNode] = [
        "type": "event", "id": 10, "uid": "00000000000000000000000000013556", "time": "2026-11-20T15:00:01.500000Z",
        "boot_id": "5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596",
        "cursor":
            "s=0000000000000000000000000000000a;i=a;b=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596;m=f4240;t=6420a1b2c3d4e;x=1f",
        "level": "notice", "pid": 812,
        "event": ["category": "recipe_detail", "name": "tap_save_button"], "dictionary": "shop",
        "definitions_version": "00c0ffee00c0ffee", "resolution": "resolved", "violations": [], "warnings": [],
        "payload": ["event_category": "recipe_detail", "event_name": "tap_save_button", "recipe_id": 123456],
    ]

    private static let versionsReply: DocumentNode = [
        "dictionary": "shop", "current": "00c0ffee00c0ffee",
        "versions": [
            [
                "version": "00c0ffee00c0ffee", "loaded_at": "2026-11-18T00:00:00.000000Z",
                "last_loaded_at": "2026-11-20T00:00:00.000000Z", "definitions": 3,
                "key": ["event_category", "event_name"], "files": true,
            ],
            [
                "version": "c0ffee00c0ffee00", "loaded_at": "2026-09-30T00:00:00.000000Z",
                "last_loaded_at": "2026-11-17T00:00:00.000000Z", "definitions": 1200,
                "key": ["event_category", "event_name"], "files": false,
            ],
        ],
    ]

    private static let versionReply: DocumentNode = [
        "dictionary": "shop", "version": "00c0ffee00c0ffee",
        "files": [["name": "recipe_detail.md", "text": "# recipe_detail\n"]],
    ]
}
