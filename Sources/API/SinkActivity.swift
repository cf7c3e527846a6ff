/// What a sink is doing. How far it has got, and with that how far it is behind, is in the store.
package struct SinkActivity: Sendable, Hashable {
    package var name: String
    /// Without what may be secret in it.
    package var url: String
    package var state: SinkStatus.State
    package var lastError: String?
    package var nextAttempt: WireTime?

    package init(
        name: String, url: String, state: SinkStatus.State, lastError: String? = nil, nextAttempt: WireTime? = nil
    ) {
        self.name = name
        self.url = url
        self.state = state
        self.lastError = lastError
        self.nextAttempt = nextAttempt
    }
}
