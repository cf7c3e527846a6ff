internal import Model
internal import Store

/// A rule on stored events, with the time that passes between them.
struct AlertTrial {
    let rule: AlertRule
    let group: EventWatch.Group
    let protection: ValueProtection
    /// Microseconds since 1970.
    let since: UInt64
    /// The most events that are in memory at a time, besides those of one read and those that were sent at once.
    var mostTogether = 100_000

    /// - Returns: what would have been sent, at most `AlertKeeper.mostTried`.
    func run(on store: EventStore, until end: UInt64) async throws -> [AlertNotice] {
        let first = since - min(since, lead)
        let newest = store.feed.latest
        let stretches = try await stretches(of: store, after: store.position(before: first), through: newest)
        let watch = try EventWatch([group])
        // Of what was before the oldest event, nothing is known.
        let oldest = try await store.statistics().oldestRealtimeMicroseconds ?? end
        let last = Int64(clamping: end)
        var time = VirtualTime(rule, from: Int64(clamping: max(first, oldest)), since: since, until: last)
        var waiting = Self.times(of: stretches)[...]
        while let times = waiting.popFirst(), time.notices.count < AlertKeeper.mostTried {
            if let events = try await events(of: times, in: stretches, watch, store) {
                for event in events { try await time.pass(event) }
            } else {
                let middle = min(times.lowerBound / 2 + times.upperBound / 2, times.upperBound - 1)
                waiting = [times.lowerBound...middle, middle + 1...times.upperBound] + waiting
            }
        }
        try await time.pass(until: last)
        time.look()
        return Array(time.notices.prefix(AlertKeeper.mostTried))
    }

    /// How long before `since` the trial begins, in microseconds: its windows have to be full, and what then holds until `since`
    /// has to have fired by then, as it has in truth, whenever it began.
    private var lead: UInt64 {
        guard let reach = rule.condition.reach else { return .max }
        // Events count by parts of a window, and are looked at from time to time.
        let margin = UInt64(2 * max(AlertProgress.width(reach), AlertProgress.step(rule)))
        return reach.wholeMicroseconds + rule.holdTime.wholeMicroseconds + margin
    }

    // MARK: reading

    /// Events that were stored one after the other. Those of a file that was read late were sent before others.
    private struct Stretch {
        var ids: Range<Int64>
        /// When they were sent.
        var times: ClosedRange<Int64>
        var count: Int64
    }

    /// Finds out when the events were sent.
    private func stretches(of store: EventStore, after: Int64, through newest: Int64) async throws -> [Stretch] {
        let watch = try EventWatch([EventWatch.Group(predicate: group.predicate, keeping: [], items: group.items)])
        var (stretches, position) = ([Stretch](), after)
        while position < newest {
            try Task.checkCancellation()
            let (sums, reached) = try await store.count(watch, after: position, through: newest)
            let (sum, ids) = (sums[0][0], position + 1..<reached + 1)
            position = reached
            // Others use the thread, too.
            await Task.yield()
            guard let first = sum.first?.time, let last = sum.last?.time else { continue }
            if let before = stretches.last, before.count + sum.count <= mostTogether / 4 {
                let times = min(before.times.lowerBound, first)...max(before.times.upperBound, last)
                stretches[stretches.count - 1] = Stretch(
                    ids: before.ids.lowerBound..<ids.upperBound, times: times, count: before.count + sum.count)
            } else {
                stretches.append(Stretch(ids: ids, times: first...last, count: sum.count))
            }
        }
        return stretches
    }

    /// Returns the times that are gone through one after the other: each ends where a stretch does.
    private static func times(of stretches: [Stretch]) -> [ClosedRange<Int64>] {
        guard var begin = stretches.map(\.times.lowerBound).min() else { return [] }
        var times: [ClosedRange<Int64>] = []
        for end in stretches.map(\.times.upperBound).sorted() where end >= begin {
            times.append(begin...end)
            guard end < .max else { break }
            begin = end + 1
        }
        return times
    }

    /// Returns the events of a time in their order; `nil` if they are too many for the memory, and the time can be divided.
    private func events(
        of times: ClosedRange<Int64>, in stretches: [Stretch], _ watch: EventWatch, _ store: EventStore
    ) async throws -> [WatchedEvent]? {
        var events: [WatchedEvent] = []
        for stretch in stretches where stretch.times.overlaps(times) {
            var position = stretch.ids.lowerBound - 1
            while position < stretch.ids.upperBound - 1 {
                try Task.checkCancellation()
                let (sums, reached) = try await store.count(
                    watch, after: position, through: stretch.ids.upperBound - 1)
                events += sums[0][0].events.filter { times.contains($0.place.time) }
                if events.count > mostTogether, times.lowerBound < times.upperBound { return nil }
                position = reached
                await Task.yield()
            }
        }
        return protection.events(events, of: rule.keys).sorted { $0.place < $1.place }
    }

    private struct VirtualTime {
        let rule: AlertRule
        let step: Int64
        var now: Int64
        var progress: AlertProgress
        var notices: [AlertNotice] = []

        private let start: Int64
        private let since: UInt64
        /// A wrong clock may have sent events from later.
        private let end: Int64
        /// When all causes are looked at next.
        private var nextLook: Int64

        init(_ rule: AlertRule, from start: Int64, since: UInt64, until end: Int64) {
            (self.rule, step, now, nextLook) = (rule, AlertProgress.step(rule), start, start)
            (self.start, self.since, self.end) = (start, since, end)
            progress = AlertProgress(startedAt: start)
        }

        mutating func pass(_ event: WatchedEvent) async throws {
            try Task.checkCancellation()
            let time = event.place.time
            // Before the start, nothing is known of most events.
            guard time >= start else { return }
            if time <= end { try await pass(until: time) }
            progress.add([event], of: rule, now: now)
            look(at: AlertProgress.cause(of: event, rule))
        }

        mutating func pass(until end: Int64) async throws {
            while nextLook <= end, notices.count < AlertKeeper.mostTried {
                if case .absent = rule.condition {
                    // Looks that would find no change are left out: there may be a million for each event.
                    let left = max(0, min(progress.nextChange(of: rule), end + 1) - nextLook)
                    nextLook += (left + step - 1) / step * step
                    if nextLook > end { break }
                } else if progress.isQuiet {
                    // Nothing happens before the next event.
                    break
                }
                (now, nextLook) = (nextLook, nextLook + step)
                look()
                try Task.checkCancellation()
                // Others use the thread, too.
                await Task.yield()
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
