package import Model

/// The query of `GET /v1/alerts/history`.
package struct NoticeQuery: APIQuery {
    /// Only the notices of this one.
    @Exact package var alert: String?
    /// Only notices before the one with this id.
    package var before: Int64?
    /// The most notices on a page, from 1.
    package var limit = usualLimit

    package static let usualLimit = 100
    package static let maximumLimit = 500

    package init() {}

    package static let fields: [QueryField<Self>] = [
        .optional(
            "alert", { $1(&$0.alert) }, .any(), "Only notices of this alert (default: all)", example: "checkout-errors"),
        .optional(
            "before", { $1(&$0.before) }, .number(0...Int64.max),
            "Only notices before the one with this id; see next in the reply", example: 12),
        .value(
            "n", { $1(&$0.limit) }, .number(1...maximumLimit), "The most notices on a page (default: \(usualLimit))",
            example: 10),
    ]
}

/// The query of `POST /v1/alerts/{alert}/silence`.
package struct SilenceQuery: APIQuery {
    /// Microseconds since 1970; `nil` ends the silence.
    package var until: UInt64?

    package init() {}

    package init(until: UInt64?) { self.until = until }

    package static let fields: [QueryField<Self>] = [
        .optional(
            "until", { $1(&$0.until) }, .time, "Until when; without it, silence ends", example: "2026-11-21T01:00:00Z")
    ]
}

/// The query of `POST /v1/alerts/{alert}/trial`.
package struct TrialQuery: APIQuery {
    /// Microseconds since 1970; `nil` for a day ago.
    package var since: UInt64?
    /// What the file with the rules is called.
    @Exact package var file: String?

    package init() {}

    package init(since: UInt64?, file: String?) {
        self.since = since
        self.file = file
    }

    package static let fields: [QueryField<Self>] = [
        .optional(
            "since", { $1(&$0.since) }, .time, "From when on (default: a day ago)", example: "2026-11-21T01:00:00Z"),
        .optional(
            "file", { $1(&$0.file) }, .any(), "What the file with the rules is called, for messages",
            example: "alerts.yaml"),
    ]
}
