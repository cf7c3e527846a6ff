import Forward
import Model
import Synchronization

/// Gives the answers of its script, one after the other, then 200. Keeps what it was sent.
final class ScriptedUpstream: Upstream {
    struct Attempt: Sendable {
        var time: Duration
        var batch: FrozenBatch
    }

    private let clock: SteppingClock
    private let answer: @Sendable (Int) async -> AttemptResult
    private let kept = Mutex<[Attempt]>([])

    /// - Parameter answer: gets the number of the attempt, from 0.
    init(_ clock: SteppingClock, answer: @escaping @Sendable (Int) async -> AttemptResult) {
        self.clock = clock
        self.answer = answer
    }

    convenience init(_ clock: SteppingClock, _ results: [AttemptResult]) {
        self.init(clock) { $0 < results.count ? results[$0] : .status(200) }
    }

    var attempts: [Attempt] { kept.withLock { $0 } }

    func send(_ batch: FrozenBatch) async -> AttemptResult {
        let number = kept.withLock { kept in
            kept.append(Attempt(time: clock.now, batch: batch))
            return kept.count - 1
        }
        return await answer(number)
    }

    func close() {}
}

extension AttemptResult {
    static func status(_ status: Int, retryAfter: Duration? = nil) -> AttemptResult {
        .answered(status: status, retryAfter: retryAfter, excerpt: "")
    }
}
