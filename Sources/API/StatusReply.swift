package import Model

/// `GET /v1/status`. Times are RFC 3339, ages and lags seconds.
package struct StatusReply: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Codable, CaseIterable {
        case running
        /// Reading what was written before the daemon started, or while it was down.
        case catchingUp = "catching-up"
        /// The store cannot take events: it or the disk is full, or it is damaged. Nothing is read until it can.
        case paused
        /// Something is wrong: see `problems`.
        case degraded
    }

    /// How far the events are that a change of the definitions may concern.
    package struct ReprocessingProgress: Sendable, Hashable, Codable {
        package var done: Int64
        package var total: Int64

        package init(done: Int64, total: Int64) {
            self.done = done
            self.total = total
        }
    }

    package var version: String
    package var state: State
    package var problems: [StatusProblem]
    package var startedAt: WireTime
    package var uptimeSeconds: Double
    package var pid: Int32
    package var journal: JournalStatus
    /// Absent when the store is damaged where that is kept, which is one of the problems.
    package var events: EventCounts?
    package var dictionaries: [DictionaryStatus]
    package var sinks: [SinkStatus]
    /// Absent as `events` is.
    package var gaps: GapCounts?
    package var store: StoreStatus
    /// How many tails are open.
    package var tails: Int
    /// `protect`, or `reveal`: values that definitions call private are stored and sent as they are.
    package var privacy: String
    /// Absent when nothing is being reprocessed.
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
}

/// Something that a person should look at.
package struct StatusProblem: Sendable, Hashable, Codable {
    package var what: String
    package var hint: String?

    package init(what: String, hint: String? = nil) {
        self.what = what
        self.hint = hint
    }
}
