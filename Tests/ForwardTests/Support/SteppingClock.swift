@testable import Forward
import Model
import Synchronization

/// A clock that jumps: a sleep ends at once, and that much time has passed. Sleeps beyond `limit` wait
/// until it is moved.
final class SteppingClock: Sendable {
    private let time = Mutex(Duration.zero)
    /// In milliseconds; a feed is a number that tasks can wait on.
    private let limit = EventFeed()
    /// How many sleeps have begun.
    let sleeps = Atomic(0)

    /// What `date` says at time zero: 2026-11-21T01:00:00Z.
    static let start: UInt64 = 1_795_222_800_000_000

    init(limit: Duration = .seconds(1_000_000_000)) {
        self.limit.publish(Int64(limit / .milliseconds(1)))
    }

    var now: Duration { time.withLock { $0 } }

    func allow(until limit: Duration) {
        self.limit.publish(Int64(limit / .milliseconds(1)))
    }

    var clock: SinkClock {
        SinkClock(
            elapsed: { self.now },
            date: { SteppingClock.start + UInt64(self.now / .microseconds(1)) },
            sleep: { until in
                self.sleeps.add(1, ordering: .relaxed)
                await self.limit.wait(after: Int64((until / .milliseconds(1)).rounded(.up)) - 1)
                guard !Task.isCancelled else { return }
                self.time.withLock { $0 = max($0, until) }
            })
    }
}
