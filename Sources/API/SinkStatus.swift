/// How far a sink has got.
package struct SinkStatus: Sendable, Hashable, Codable {
    package enum State: String, Sendable, Codable, CaseIterable {
        case ok
        /// The last attempt failed; the next one is at `nextAttempt`.
        case retrying
        /// The upstream refuses; nothing is sent but a probe now and then.
        case held
        /// It waits for the store, whose problem is not the upstream's.
        case paused
        case disabled
    }

    package var name: String
    package var url: String
    package var state: State
    /// The last event that was delivered.
    package var position: Int64
    /// How many events of the store it has not had.
    package var lagEvents: Int64
    /// The age of the oldest of them; absent when it cannot be read.
    package var lagSeconds: Double?
    package var deliveredEvents: Int64
    package var deliveredBatches: Int64
    package var lastSuccess: WireTime?
    package var lastError: String?
    package var nextAttempt: WireTime?

    package init(
        name: String, url: String, state: State, position: Int64, lagEvents: Int64, lagSeconds: Double?,
        deliveredEvents: Int64, deliveredBatches: Int64, lastSuccess: WireTime?, lastError: String?,
        nextAttempt: WireTime?
    ) {
        self.name = name
        self.url = url
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
}

/// What a sink is doing. How far it has got, and with that how far it is behind, is in the store.
package struct SinkActivity: Sendable, Hashable {
    package var name: String
    /// Without what may be secret in it.
    package var url: String
    package var state: SinkStatus.State
    package var lastError: String?
    package var nextAttempt: WireTime?
    /// How long ago the first of the failures in a row was, in the states `retrying` and `paused`.
    package var retryingFor: Duration?

    package init(
        name: String, url: String, state: SinkStatus.State, lastError: String? = nil, nextAttempt: WireTime? = nil,
        retryingFor: Duration? = nil
    ) {
        self.name = name
        self.url = url
        self.state = state
        self.lastError = lastError
        self.nextAttempt = nextAttempt
        self.retryingFor = retryingFor
    }
}
