package import Model

/// How far a sink has delivered.
package struct SinkStatus: Sendable, Hashable, Codable, DescribedObject {
    package enum State: String, Sendable, Codable, CaseIterable, ExampleValue {
        case ok
        /// The last attempt failed. The next one is at `nextAttempt`.
        case retrying
        /// The upstream refuses batches. The sink tries again from time to time.
        case held
        /// The sink waits for the store, which has a problem.
        case paused
        case disabled
    }

    package var name: String
    package var url: String
    package var predicate: String?
    package var state: State
    package var position: Int64
    package var lagEvents: Int64
    package var lagSeconds: Double?
    package var deliveredEvents: Int64
    package var deliveredBatches: Int64
    package var lastSuccess: WireTime?
    package var lastError: String?
    package var nextAttempt: WireTime?

    package init(
        name: String, url: String, predicate: String?, state: State, position: Int64, lagEvents: Int64,
        lagSeconds: Double?, deliveredEvents: Int64, deliveredBatches: Int64, lastSuccess: WireTime?,
        lastError: String?,
        nextAttempt: WireTime?
    ) {
        self.name = name
        self.url = url
        self.predicate = predicate
        self.state = state
        self.position = position
        self.lagEvents = lagEvents
        self.lagSeconds = lagSeconds
        self.deliveredEvents = deliveredEvents
        self.deliveredBatches = deliveredBatches
        self.lastSuccess = lastSuccess
        self.lastError = lastError
        self.nextAttempt = nextAttempt
    }

    package static let object = ObjectDescription(
        "Sink", "How far a sink has delivered",
        [
            member("name", \.name, "The sink's name in the settings", "upstream"),
            member("url", \.url, "Where it delivers to", "https://logs.example.com/ingest"),
            member(
                "predicate", \.predicate,
                "Which events it gets; absent for all, and if it has values that are stored as hashes for a client that may not see them",
                nil),
            member("state", \.state, "How delivery goes; paused means that it waits for the store", .ok),
            member("position", \.position, "The last event that was delivered, or that it does not get", 512_345),
            member(
                "lag_events", \.lagEvents,
                "The number of events in the store that were not delivered; with a predicate, at most", 0),
            member("lag_seconds", \.lagSeconds, "The age of the oldest of them; absent if it cannot be read", 0),
            member("delivered_events", \.deliveredEvents, "The number of events that were delivered", 512_345),
            member("delivered_batches", \.deliveredBatches, "The number of batches that were delivered", 1025),
            member("last_success", \.lastSuccess, "When the upstream last accepted a batch", .example),
            member("last_error", \.lastError, "Why the last attempt failed", nil),
            member("next_attempt", \.nextAttempt, "When the next attempt is made", nil),
        ])
}

/// What a sink is doing. Its position, and with that its lag, is in the store.
package struct SinkActivity: Sendable, Hashable {
    package var name: String
    /// Without the parts that may be secret.
    package var url: String
    @Exact package var predicate: String?
    package var state: SinkStatus.State
    package var lastError: String?
    package var nextAttempt: WireTime?
    /// The time since the first of the consecutive failures, in the states `retrying` and `paused`.
    package var retryingFor: Duration?

    package init(
        name: String, url: String, predicate: String? = nil, state: SinkStatus.State, lastError: String? = nil,
        nextAttempt: WireTime? = nil, retryingFor: Duration? = nil
    ) {
        self.name = name
        self.url = url
        self.predicate = predicate
        self.state = state
        self.lastError = lastError
        self.nextAttempt = nextAttempt
        self.retryingFor = retryingFor
    }
}
