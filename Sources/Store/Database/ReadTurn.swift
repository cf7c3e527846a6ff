internal import Synchronization

/// One read of the store. It waits for its lane, and then occupies it for a bounded time. The caller may cancel it in
/// either state.
final class ReadTurn: Sendable {
    private enum State {
        case new
        case waiting(giveUp: @Sendable () -> Void)
        case running(end: ContinuousClock.Instant, interrupt: @Sendable () -> Void)
        case over
    }

    private let time: Duration
    private let state = Mutex(State.new)
    private let givenUp = Atomic(false)

    /// - Parameter time: how long it may occupy the lane.
    init(time: Duration) {
        self.time = time
    }

    /// Whether the caller has cancelled the read.
    var isGivenUp: Bool { givenUp.load(ordering: .relaxed) }

    /// Whether the read should end and return what it has.
    var isOver: Bool {
        if isGivenUp { return true }
        guard case .running(let end, _) = state.withLock({ $0 }) else { return false }
        return .now >= end
    }

    /// - Parameter giveUp: is called once if the read is cancelled before it begins. It does not begin then.
    /// - Returns: `false` when the read was already cancelled.
    func wait(giveUp: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(giveUp: giveUp)
            return true
        }
    }

    /// - Parameter interrupt: interrupts the running statement. It is called when the read is cancelled, and never
    ///   after `finish`.
    /// - Returns: Whether the read may begin.
    func begin(interrupt: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .running(end: .now + time, interrupt: interrupt)
            return true
        }
    }

    func finish() { state.withLock { $0 = .over } }

    func giveUp() {
        givenUp.store(true, ordering: .relaxed)
        let giveUp: (@Sendable () -> Void)? = state.withLock { state in
            switch state {
            case .waiting(let giveUp):
                state = .over
                return giveUp
            case .running(_, let interrupt):
                // Called while the state is locked, so that it cannot interrupt the next read on the connection.
                interrupt()
                return nil
            case .new:
                state = .over
                return nil
            case .over: return nil
            }
        }
        giveUp?()
    }
}
