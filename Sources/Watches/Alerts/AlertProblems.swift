internal import API
internal import Model
internal import Synchronization

/// What is wrong with alerts. Who asks does not wait for their keeper, which may have much to do.
final class AlertProblems: Sendable {
    private struct State {
        var lasting: [StatusProblem] = []
        var givenUp = 0
        /// How many notices were given up with less than `time` between them, and when the last one was.
        var lately = (count: 0, time: UInt64.min)
        var isSaid = true
    }

    private let state = Mutex(State())

    /// For how long it is said that notices were given up, in microseconds.
    private static let time: UInt64 = 3_600_000_000

    /// What lasts until it is replaced.
    func use(_ lasting: [StatusProblem]) { state.withLock { $0.lasting = lasting } }

    /// How many notices were given up since the start.
    var givenUp: Int { state.withLock(\.givenUp) }

    /// - Parameter now: microseconds since 1970.
    func giveUp(_ count: Int, at now: UInt64) {
        guard count > 0 else { return }
        state.withLock { state in
            state.givenUp += count
            if !Self.isRecent(state.lately.time, now) {
                state.lately.count = 0
                state.isSaid = false
            }
            state.lately = (state.lately.count + count, now)
        }
    }

    /// What is to be reported of notices that were given up: once, until none were for an hour.
    func takeSentence() -> String? {
        state.withLock { state in
            defer { state.isSaid = true }
            return state.isSaid ? nil : Self.sentence(state.lately.count)
        }
    }

    /// All that is wrong at a time.
    func all(at now: UInt64) -> [StatusProblem] {
        let (lasting, lately) = state.withLock { ($0.lasting, $0.lately) }
        guard lately.count > 0, Self.isRecent(lately.time, now) else { return lasting }
        return lasting + [StatusProblem(.alertDropped, what: Self.sentence(lately.count))]
    }

    private static func isRecent(_ time: UInt64, _ now: UInt64) -> Bool { now >= time && now - time < Self.time }

    private static func sentence(_ count: Int) -> String {
        """
        Alerts have given up \(count) \(count == 1 ? "notice" : "notices") that could not be saved or delivered before \
        too many newer ones came
        """
    }
}
