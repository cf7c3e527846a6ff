import Foundation
import Glibc
import Synchronization

/// Samples the memory of processes from a thread of its own, and keeps the peak.
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
        let watch = MemoryWatch { usage.anonymousBytes ?? 0 }
        defer { _ = watch.stop() }
        let result = try await body()
        return (result, watch.stop())
    }

    /// - Parameter bytes: the memory at this moment.
    init(everyMicroseconds pause: UInt32 = 5000, _ bytes: @escaping @Sendable () -> Int) {
        Thread { [self] in
            // A thread of its own: nothing waits for it, and a task would share the threads that are measured.
            while add(bytes()) { usleep(pause) }
        }.start()
    }

    /// - Returns: the peak, in bytes.
    func stop() -> Int {
        state.withLock { state in
            state.isStopped = true
            return state.peak
        }
    }

    /// - Returns: whether to go on.
    private func add(_ bytes: Int) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.peak = max(state.peak, bytes)
            return true
        }
    }
}
