package import Model

/// The far end of a sink.
package protocol Upstream: Sendable {
    /// One attempt. Ends early when the task is cancelled.
    func send(_ batch: FrozenBatch) async -> AttemptResult
    /// Gives the connections back, soon. Nothing is sent after it.
    func close()
}
