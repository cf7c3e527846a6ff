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
