import Synchronization

/// The memory that all replies share for parts larger than an ordinary page: events, journal entries, files, reports.
///
/// Ordinary pages are small, and their number is bounded by that of the connections. A larger part reserves a share before it is
/// read, in the order of the requests, and gives it back when the client has taken it.
package final class StreamMemory: Sendable {
    private struct Waiter {
        var ticket: Int
        var bytes: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var left: Int
        var nextTicket = 0
        var waiters: [Waiter] = []

        /// Removes and returns the waiters that may continue.
        mutating func served() -> [Waiter] {
            var served: [Waiter] = []
            while let first = waiters.first, first.bytes <= left {
                left -= first.bytes
                served.append(waiters.removeFirst())
            }
            return served
        }
    }

    private let bytes: Int
    private let state: Mutex<State>

    package init(bytes: Int) {
        self.bytes = bytes
        state = Mutex(State(left: bytes))
    }

    /// The bytes that are reserved.
    package var taken: Int { state.withLock { bytes - $0.left } }
    /// The number of waiting requests.
    package var waiting: Int { state.withLock(\.waiters.count) }

    /// - Returns: `nil` when there is not enough, or others wait.
    package func takeAtOnce(_ bytes: Int) -> Share? {
        let bytes = min(bytes, self.bytes)
        let isTaken = state.withLock { state in
            guard state.waiters.isEmpty, bytes <= state.left else { return false }
            state.left -= bytes
            return true
        }
        return isTaken ? Share(memory: self, bytes: bytes) : nil
    }

    /// - Returns: `nil` when less than half would be left for others.
    func takeSpare(_ bytes: Int) -> Share? {
        taken + bytes <= self.bytes / 2 ? takeAtOnce(bytes) : nil
    }

    /// Waits until there is enough. A request for more than the total gets the total.
    /// - Throws: `CancellationError`.
    package func take(_ bytes: Int) async throws -> Share {
        let bytes = min(bytes, self.bytes)
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        let isTaken = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.waiters.isEmpty, bytes <= state.left else {
                        state.waiters.append(Waiter(ticket: ticket, bytes: bytes, continuation: continuation))
                        return nil
                    }
                    state.left -= bytes
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
        return Share(memory: self, bytes: bytes)
    }

    private func release(_ bytes: Int) {
        let served = state.withLock { state in
            state.left += bytes
            return state.served()
        }
        for waiter in served { waiter.continuation.resume(returning: true) }
    }

    /// A reservation. It ends with its last reference.
    package final class Share: Sendable {
        private let memory: StreamMemory
        private let bytes: Int

        fileprivate init(memory: StreamMemory, bytes: Int) {
            self.memory = memory
            self.bytes = bytes
        }

        deinit {
            memory.release(bytes)
        }
    }
}
