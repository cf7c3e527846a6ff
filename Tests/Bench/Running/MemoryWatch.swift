import Foundation
import Glibc
import Synchronization

/// Looks at a process's private memory every five milliseconds, from a thread of its own.
final class MemoryWatch: Sendable {
    private struct State {
        var peak = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    /// What `body` gives, and the most memory that the process had meanwhile, in bytes.
    static func peak<Result>(
        of usage: ProcessUsage, while body: () async throws -> Result
    ) async rethrows -> (result: Result, bytes: Int) {
        let watch = MemoryWatch(usage)
        defer { watch.state.withLock { $0.isStopped = true } }
        let result = try await body()
        return (result, watch.state.withLock { $0.peak })
    }

    private init(_ usage: ProcessUsage) {
        Thread { [self] in
            // A thread of its own: nothing waits for it, and a task would share the threads that are measured.
            while look(at: usage) { usleep(5000) }
        }.start()
    }

    private func look(at usage: ProcessUsage) -> Bool {
        let bytes = usage.anonymousBytes ?? 0
        return state.withLock { state in
            state.peak = max(state.peak, bytes)
            return !state.isStopped
        }
    }
}
