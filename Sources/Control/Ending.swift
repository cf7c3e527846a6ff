import Synchronization

/// How signals end the run.
final class Ending: Sendable {
    private struct State {
        var number: Int32 = 0
        var leavesTime = false
        var part: Task<Void, any Error>?
    }

    private let thread: CommandThread
    private let state = Mutex(State())

    /// - Parameter thread: what the run runs on.
    init(on thread: CommandThread) { self.thread = thread }

    /// The signal that has ended the run; zero if there was none.
    var number: Int32 { state.withLock(\.number) }
    /// Whether a cancelled run may take longer than usual.
    var leavesTime: Bool { state.withLock(\.leavesTime) }

    func begin(by number: Int32) { state.withLock { $0.number = number } }

    func leaveTime() { state.withLock { $0.leavesTime = true } }

    /// Runs a part of the run, which may be ended alone.
    /// - Throws: the errors of the part.
    func runInterruptible(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let part = Task(executorPreference: thread) { try await body() }
        state.withLock { $0.part = part }
        defer { state.withLock { $0.part = nil } }
        try await withTaskCancellationHandler {
            try await part.value
        } onCancel: {
            part.cancel()
        }
    }

    /// Ends the part that runs now.
    /// - Returns: `false` if there is none, or it was to end before and has not noticed: then the run has to end.
    func interruptPart() -> Bool {
        guard let part = state.withLock({ $0.part }), !part.isCancelled else { return false }
        part.cancel()
        return true
    }
}
