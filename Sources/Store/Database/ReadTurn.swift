internal import Synchronization

/// One read of the store: it waits for its lane, and then has it for a bounded time. Whoever asked may give it up in either
/// state.
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

    /// - Parameter time: that it may have the lane for.
    init(time: Duration) {
        self.time = time
    }

    /// Whether there is nobody to read for any more.
    var isGivenUp: Bool { givenUp.load(ordering: .relaxed) }

    /// Whether the read should come to its end, with as much as it has.
    var isOver: Bool {
        if isGivenUp { return true }
        guard case .running(let end, _) = state.withLock({ $0 }) else { return false }
        return .now >= end
    }

    /// - Parameter giveUp: called once if it is given up before it begins; it does not begin then.
    /// - Returns: `false` when it was given up already.
    func wait(giveUp: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(giveUp: giveUp)
            return true
        }
    }

    /// - Parameter interrupt: ends the statement that runs; called when it is given up, never after `finish`.
    /// - Returns: whether it may begin.
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
                // While the state is locked, so that it cannot meet the turn that follows on the connection.
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
