internal import Model
internal import Store

/// A rule on stored events, with the time that passes between them.
struct AlertTrial {
    let rule: AlertRule
    let group: EventWatch.Group
    let protection: ValueProtection
    /// Microseconds since 1970.
    let since: UInt64

    /// - Returns: what would have been sent, at most `AlertKeeper.mostTried`.
    func run(on store: EventStore, until end: UInt64) async throws -> [AlertNotice] {
        // Windows reach back.
        let first = since - min(since, rule.condition.reach?.wholeMicroseconds ?? .max)
        var position = try await store.position(before: first)
        let (newest, watch) = (store.feed.latest, try EventWatch([group]))
        // Of what was before the oldest event, nothing is known.
        let oldest = try await store.statistics().oldestRealtimeMicroseconds ?? end
        let last = Int64(clamping: end)
        var time = VirtualTime(rule, from: Int64(clamping: max(first, oldest)), since: since, until: last)
        while position < newest, time.notices.count < AlertKeeper.mostTried {
            try Task.checkCancellation()
            let (sums, reached) = try await store.count(watch, after: position, through: newest)
            let events = protection.events(sums[0][0].events, of: rule.keys)
            for event in events.sorted(by: { $0.place < $1.place }) { try time.pass(event) }
            // Others use the thread, too.
            await Task.yield()
            position = reached
        }
        try time.pass(until: last)
        time.look()
        return Array(time.notices.prefix(AlertKeeper.mostTried))
    }

    private struct VirtualTime {
        let rule: AlertRule
        let step: Int64
        var now: Int64
        var progress: AlertProgress
        var notices: [AlertNotice] = []

        private let since: UInt64
        /// A wrong clock may have sent events from later.
        private let end: Int64
        /// When all causes are looked at next.
        private var nextLook: Int64

        init(_ rule: AlertRule, from start: Int64, since: UInt64, until end: Int64) {
            (self.rule, step, now, nextLook) = (rule, AlertProgress.step(rule), start, start)
            (self.since, self.end) = (since, end)
            progress = AlertProgress(startedAt: start)
        }

        mutating func pass(_ event: WatchedEvent) throws {
            try Task.checkCancellation()
            let time = event.place.time
            if time <= end { try pass(until: time) }
            // What is read later than others is not late, either.
            progress.add([event], of: rule, now: time <= end ? time : now)
            look(at: AlertProgress.cause(of: event, rule))
        }

        mutating func pass(until end: Int64) throws {
            let needsTime = if case .absent = rule.condition { true } else { false }
            while nextLook <= end, notices.count < AlertKeeper.mostTried {
                // Nothing happens before the next event.
                if progress.isQuiet, !needsTime { break }
                (now, nextLook) = (nextLook, nextLook + step)
                look()
                try Task.checkCancellation()
            }
            now = max(now, end)
            nextLook = max(nextLook, now)
        }

        /// - Parameter cause: the one that has changed; `nil` for all of them.
        mutating func look(at cause: AlertProgress.Cause? = nil) {
            let changes = progress.changes(of: rule, now: now, completeUntil: now, only: cause)
            // What was sent before does not count.
            guard now >= Int64(clamping: since) else { return }
            notices += changes.map { AlertNotice($0, of: rule, at: UInt64(max(0, now))) }
        }
    }
}
