package import Model

/// The query of `POST /v1/checklists`, whose body is a list.
package struct ChecklistQuery: Sendable, Hashable {
    /// The name of the run; `nil` for that of the list.
    @Exact package var name: String?
    package var format = ChecklistFormat.yaml
    /// What the list's file is called.
    @Exact package var file: String?
    /// Microseconds since 1970.
    package var since: UInt64?
    /// Which events it is about, besides what the list says.
    @Exact package var predicate: String?
    @Exact package var user: String?
    @Exact package var device: String?

    package init() {}
}

extension ChecklistQuery: APIQuery {
    package static let fields: [QueryField<Self>] = [
        .optional(
            "name", { $1(&$0.name) }, .any(nameSchema),
            "The name of the run, at most 100 bytes (default: that of the list)",
            example: "release-ios"),
        .value("format", { $1(&$0.format) }, .choice, "The form of the list (default: yaml)", example: "yaml"),
        .optional(
            "file", { $1(&$0.file) }, .any(), "What the list's file is called, for messages", example: "release.yaml"),
        .optional(
            "since", { $1(&$0.since) }, .time,
            "Count stored events, too, that were sent from then on (default: the present)",
            example: "2026-11-21T01:00:00Z"),
        .optional(
            "predicate", { $1(&$0.predicate) }, .any(), "Which events it is about, besides what the list says",
            example: "app_version >= 25.4"),
        .optional("user", { $1(&$0.user) }, .any(), "Only events of this user", example: "42"),
        .optional("device", { $1(&$0.device) }, .any(), "Only events of this device", example: "pixel-7"),
    ]

    /// As strict as `Checklist.fault(ofName:)`, but for the length, which a schema counts in characters.
    private static var nameSchema: DocumentNode {
        let barred = #"/\u0000-\u001f\u007f-\u009f"#
        return [
            "type": "string", "minLength": 1, "maxLength": 100,
            "pattern": .text("^([.]*[^.\(barred)][^\(barred)]*|[.]{3,})$"),
        ]
    }
}
