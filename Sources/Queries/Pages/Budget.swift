import Synchronization

/// What requests share, such as places or bytes: a counting semaphore, from which they take in the order in which they came.
package final class Budget: Sendable {
    private struct Waiter {
        var ticket: Int
        var count: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        let changed: @Sendable (_ left: Int) -> Void
        var left: Int { didSet { changed(left) } }
        var nextTicket = 0
        var waiters: [Waiter] = []

        /// Removes and returns the waiters that may continue.
        mutating func served() -> [Waiter] {
            var served: [Waiter] = []
            while let first = waiters.first, first.count <= left {
                left -= first.count
                served.append(waiters.removeFirst())
            }
            return served
        }
    }

    private let total: Int
    private let state: Mutex<State>

    /// - Parameter changed: called with how much is taken after each change, in order, while the budget is locked.
    package init(_ total: Int, changed: @escaping @Sendable (_ taken: Int) -> Void = { _ in }) {
        self.total = total
        state = Mutex(State(changed: { left in changed(total - left) }, left: total))
    }

    /// How much is taken.
    package var taken: Int { state.withLock { total - $0.left } }
    /// The number of waiting requests.
    package var waiting: Int { state.withLock(\.waiters.count) }

    /// - Parameter others: how much has to be left for others.
    /// - Returns: `nil` when there is not enough, or others wait.
    package func takeAtOnce(_ count: Int, leaving others: Int = 0) -> Share? {
        let count = min(count, total)
        let isTaken = state.withLock { state in
            guard state.waiters.isEmpty, count <= state.left - others else { return false }
            state.left -= count
            return true
        }
        return isTaken ? Share(of: self, count) : nil
    }

    /// - Returns: `nil` when less than half would be left for others.
    func takeSpare(_ count: Int) -> Share? { takeAtOnce(count, leaving: total - total / 2) }

    /// Waits until there is enough. A request for more than the total gets the total.
    /// - Throws: `CancellationError`.
    package func take(_ count: Int) async throws -> Share {
        let count = min(count, total)
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.waiters.isEmpty, count <= state.left else {
                        state.waiters.append(Waiter(ticket: ticket, count: count, continuation: continuation))
                        return nil
                    }
                    state.left -= count
                    return true
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let (gone, served) = state.withLock { state in
                let index = state.waiters.firstIndex { $0.ticket == ticket }
                let gone = index.map { state.waiters.remove(at: $0) }
                // The others may have waited behind it.
                return (gone, state.served())
            }
            gone?.continuation.resume(returning: false)
            for waiter in served { waiter.continuation.resume(returning: true) }
        }
        guard isTaken else { throw CancellationError() }
        return Share(of: self, count)
    }

    private func release(_ count: Int) {
        let served = state.withLock { state in
            state.left += count
            return state.served()
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
    }

    /// What a request has taken. It is given back with the last reference.
    package final class Share: Sendable {
        private let budget: Budget
        private let count: Int

        fileprivate init(of budget: Budget, _ count: Int) { (self.budget, self.count) = (budget, count) }

        deinit { budget.release(count) }
    }
}
