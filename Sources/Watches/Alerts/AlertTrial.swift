internal import Model
internal import Store

/// A rule on stored events, with the time that passes between them.
struct AlertTrial {
    let rule: AlertRule
    let group: EventWatch.Group
    /// Microseconds since 1970.
    let since: UInt64

    /// - Returns: what would have been told, at most `AlertKeeper.mostTried`.
    func run(on store: EventStore, until end: UInt64) async throws -> [AlertNotice] {
        // Windows reach back.
        let first = since - min(since, rule.condition.reach?.wholeMicroseconds ?? .max)
        var position = try await store.position(before: first)
        let (newest, watch) = (store.feed.latest, try EventWatch([group]))
        // Of what was before the oldest event, nothing is known.
        let oldest = try await store.statistics().oldestRealtimeMicroseconds ?? end
        var time = VirtualTime(rule, from: Int64(clamping: max(first, oldest)), since: since)
        while position < newest, time.notices.count < AlertKeeper.mostTried {
            try Task.checkCancellation()
            let (sums, reached) = try await store.count(watch, after: position, through: newest)
            for event in sums[0][0].events.sorted(by: { $0.place < $1.place }) { try time.pass(event) }
            position = reached
        }
        try time.pass(until: Int64(clamping: end))
        return Array(time.notices.prefix(AlertKeeper.mostTried))
    }

    private struct VirtualTime {
        let rule: AlertRule
        let step: Int64
        var now: Int64
        var progress: AlertProgress
        var notices: [AlertNotice] = []

        let since: UInt64

        init(_ rule: AlertRule, from start: Int64, since: UInt64) {
            (self.rule, step, now, self.since) = (rule, AlertProgress.step(rule), start, since)
            progress = AlertProgress(startedAt: start)
        }

        mutating func pass(_ event: WatchedEvent) throws {
            try pass(until: event.place.time)
            progress.add([event], of: rule, now: max(now, event.place.time))
            look()
        }

        mutating func pass(until end: Int64) throws {
            let needsTime = if case .absent = rule.condition { true } else { false }
            while now < end, notices.count < AlertKeeper.mostTried {
                // Nothing happens before the next event.
                if progress.isQuiet, !needsTime { break }
                now = min(end, now + step)
                look()
                try Task.checkCancellation()
            }
            now = max(now, end)
        }

        private mutating func look() {
            let changes = progress.changes(of: rule, now: now, completeUntil: now)
            // What was told before does not count.
            guard now >= Int64(clamping: since) else { return }
            notices += changes.map { AlertNotice($0, of: rule, at: UInt64(max(0, now))) }
        }
    }
}
