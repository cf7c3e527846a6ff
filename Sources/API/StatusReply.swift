package import Model

/// `GET /v1/status`. Times are RFC 3339; ages and lags are in seconds.
package struct StatusReply: Sendable, Hashable, Codable, DescribedObject {
    package enum State: String, Sendable, Codable, CaseIterable, ExampleValue {
        case running
        /// The end of the journal has not been reached since the start.
        case catchingUp = "catching-up"
        /// The store cannot take events: it or the disk is full, or it is damaged. The journal is not read until it
        /// can.
        case paused
        /// Something is wrong: see `problems`.
        case degraded
    }

    /// How many events have been reprocessed after a change of the definitions.
    package struct ReprocessingProgress: Sendable, Hashable, Codable, DescribedObject {
        package var done: Int64
        package var total: Int64

        package init(done: Int64, total: Int64) {
            self.done = done
            self.total = total
        }

        package static let object = ObjectDescription(
            "Reprocessing", "How many events have been reprocessed",
            [
                member("done", \.done, "The number of stored events that were examined", 40_000),
                member(
                    "total", \.total,
                    "The number of events that a change of the definitions may concern; 0 until it is known that it concerns any",
                    100_000),
            ])
    }

    package var version: String
    package var state: State
    package var problems: [StatusProblem]
    package var startedAt: WireTime
    package var uptimeSeconds: Double
    package var pid: Int32
    package var journal: JournalStatus
    package var events: EventCounts?
    package var dictionaries: [DictionaryStatus]
    package var sinks: [SinkStatus]
    package var gaps: GapCounts?
    package var store: StoreStatus
    package var tails: Int
    package var privacy: String
    package var reprocessing: ReprocessingProgress?

    package init(
        version: String, state: State, problems: [StatusProblem], startedAt: WireTime, uptimeSeconds: Double,
        pid: Int32,
        journal: JournalStatus, events: EventCounts?, dictionaries: [DictionaryStatus], sinks: [SinkStatus],
        gaps: GapCounts?, store: StoreStatus, tails: Int, privacy: PrivacyMode = .protect,
        reprocessing: ReprocessingProgress? = nil
    ) {
        self.version = version
        self.state = state
        self.problems = problems
        self.startedAt = startedAt
        self.uptimeSeconds = uptimeSeconds
        self.pid = pid
        self.journal = journal
        self.events = events
        self.dictionaries = dictionaries
        self.sinks = sinks
        self.gaps = gaps
        self.store = store
        self.tails = tails
        self.privacy = privacy.rawValue
        self.reprocessing = reprocessing
    }

    package static let object = ObjectDescription(
        "Status", "The state of the daemon",
        [
            member("version", \.version, "The version of the daemon", "0.1.0"),
            member("state", \.state, "The state of the daemon", .running),
            member("problems", \.problems, "What needs somebody's attention", showing: []),
            member("started_at", \.startedAt, "When the daemon started", .earlierExample),
            member("uptime_seconds", \.uptimeSeconds, "How long it has been running", 93_784),
            member("pid", \.pid, "Its process id", 812),
            member("journal", \.journal, "How far the journal has been read"),
            member(
                "events", \.events,
                "The events in the store now, and all that were ever stored; absent when the part of the store that has these numbers is damaged"
            ),
            member("dictionaries", \.dictionaries, "The dictionaries, in the order of the settings"),
            member("sinks", \.sinks, "Where events are delivered to"),
            member("gaps", \.gaps, "What is missing; absent in the same case as events"),
            member("store", \.store, "The store's file, its limit, and what each source takes of it"),
            member("tails", \.tails, "The number of open tails", 1),
            member(
                "privacy", \.privacy,
                "Whether values that definitions call private are protected, or stored and sent as they are", "protect",
                as: .choice(of: PrivacyMode.self)),
            member(
                "reprocessing", \.reprocessing,
                "How many events have been reprocessed; present from a change of the definitions until all that it concerns are",
                showing: nil),
        ])
}

/// Something that needs somebody's attention.
package struct StatusProblem: Sendable, Hashable, Codable, DescribedObject {
    package var code: String
    package var subject: String?
    package var what: String
    package var hint: String?

    /// - Parameters:
    ///   - subject: what it is about, if there may be several, such as a sink.
    ///   - hint: what to do about it; `nil` for what is always to be done about such a problem.
    package init(_ code: Diagnostic, _ subject: String? = nil, what: String, hint: String? = nil) {
        self.code = code.rawValue
        self.subject = subject
        self.what = what
        self.hint = hint ?? code.advice
    }

    package static let object = ObjectDescription(
        "StatusProblem", "Something that needs somebody's attention",
        [
            member(
                "code", \.code, "Its stable name, which docs/diagnostics.md explains", "dictionary.broken",
                as: .choice(of: Diagnostic.self)),
            member("subject", \.subject, "What it is about, such as a dictionary or a sink", "shop"),
            member("what", \.what, "What is wrong", "shop: cannot load definitions/recipe.md"),
            member("hint", \.hint, "What to do about it", "glossctl lint /etc/gloss/definitions"),
        ])
}
