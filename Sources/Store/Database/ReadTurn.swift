internal import Model
internal import Synchronization

/// One read of the store. It waits for its lane, and then occupies it for a bounded time. The caller may cancel it in
/// either state.
final class ReadTurn: Sendable {
    private enum State {
        case new
        case waiting(onCancel: @Sendable () -> Void)
        case running(end: ContinuousClock.Instant, interrupt: @Sendable () -> Void)
        case ended
    }

    /// Reads journal entries for the reader; `nil` where there is no journal.
    let journal: (any JournalFieldSource)?

    private let time: Duration
    private let state = Mutex(State.new)
    private let cancelled = Atomic(false)

    /// - Parameter time: how long it may occupy the lane.
    init(time: Duration, journal: (any JournalFieldSource)? = nil) {
        self.time = time
        self.journal = journal
    }

    /// Whether the caller has cancelled the read.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Whether the read should end and return what it has.
    var shouldEnd: Bool {
        if isCancelled { return true }
        guard case .running(let end, _) = state.withLock({ $0 }) else { return false }
        return .now >= end
    }

    /// - Parameter onCancel: is called once if the read is cancelled before it begins. It does not begin then.
    /// - Returns: `false` when the read was already cancelled.
    func wait(onCancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(onCancel: onCancel)
            return true
        }
    }

    /// - Parameter interrupt: interrupts the running statement. It is called when the read is cancelled, and never
    ///   after `finish`.
    /// - Returns: whether the read may begin.
    func begin(interrupt: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .running(end: .now + time, interrupt: interrupt)
            return true
        }
    }

    func finish() { state.withLock { $0 = .ended } }

    func cancel() {
        cancelled.store(true, ordering: .relaxed)
        let onCancel: (@Sendable () -> Void)? = state.withLock { state in
            switch state {
            case .waiting(let onCancel):
                state = .ended
                return onCancel
            case .running(_, let interrupt):
                // Called while the state is locked, so that it cannot interrupt the next read on the connection.
                interrupt()
                return nil
            case .new:
                state = .ended
                return nil
            case .ended: return nil
            }
        }
        onCancel?()
    }
}
