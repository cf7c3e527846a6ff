import Synchronization

/// Wakes the tasks that wait for new events. It carries no events: each task reads the store from its own place, so a
/// slow reader delays nothing and needs no memory here.
package final class EventFeed: Sendable {
    private struct State {
        var latest: Int64 = 0
        var publications = 0
        var nextTicket = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The id of the newest event in the store; 0 when there is none.
    package var latest: Int64 { state.withLock { $0.latest } }

    /// How often something was published.
    package var publications: Int { state.withLock { $0.publications } }

    package func publish(_ latest: Int64) {
        let woken = state.withLock { state in
            state.publications += 1
            state.latest = max(state.latest, latest)
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in woken { waiter.resume() }
    }

    /// Returns once the store holds an event after `id`, when anything else is published, or when the task is cancelled.
    package func wait(after id: Int64) async { await wait { $0.latest > id } }

    /// Returns once more has been published than the given number of times, or when the task is cancelled. For those who look for
    /// what is no event, such as a gap: it may be published before they wait.
    package func wait(since publications: Int) async { await wait { $0.publications > publications } }

    /// Returns when something is published, at once if there is already what is waited for.
    private func wait(_ isThere: (State) -> Bool) async {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if isThere(state) || Task.isCancelled { return true }
                    state.waiters[ticket] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
    }
}
