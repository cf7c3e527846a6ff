import API
import Hummingbird
import Model
import Store

extension ControlAPI {
    /// `GET /v1/status`
    func status(_ request: Request, _ context: ControlContext) async throws -> Response {
        let statistics = try await store.statistics()
        let daemon = await daemon.status()
        let dictionaries = await self.daemon.dictionaries()
        let now = now()
        var sinks: [SinkStatus] = []
        for activity in daemon.sinks {
            sinks.append(try await sink(activity, statistics, now: now))
        }
        return try Response(
            json: StatusReply(
                version: daemon.version, state: daemon.state, problems: daemon.problems,
                startedAt: WireTime(microseconds: daemon.startedAtMicroseconds),
                uptimeSeconds: daemon.uptime / .seconds(1), pid: daemon.pid, journal: daemon.journal,
                events: EventCounts(statistics), dictionaries: dictionaries.map(\.status), sinks: sinks,
                gaps: GapCounts(count: statistics.gapCount, droppedEvents: statistics.droppedEvents),
                store: StoreStatus(
                    path: store.options.path, bytes: statistics.fileBytes, maxBytes: statistics.maximumBytes,
                    whenFull: store.options.whenFull.rawValue, paused: daemon.isPaused),
                tails: tails.count, privacy: daemon.privacy,
                resolvingAgain: daemon.resolvingAgain.map { .init(done: $0.done, total: $0.total) }))
    }

    private func sink(
        _ activity: SinkActivity, _ statistics: StoreStatistics, now: UInt64
    ) async throws -> SinkStatus {
        let record = statistics.sinks.first { $0.name == activity.name }
        // A sink that the store does not know yet has nothing to catch up with.
        let position = record?.position ?? statistics.newestEventID
        // Events that were removed before the sink had them are no lag any more; those that have come since are none yet.
        let next = try await store.events(
            matching: EventFilter(), after: position, before: statistics.newestEventID + 1, order: .oldest, limit: 1,
            on: .status
        ).events.first
        let lag = next.map { statistics.newestEventID - $0.id + 1 } ?? 0
        let age = next.map { now > $0.realtimeMicroseconds ? now - $0.realtimeMicroseconds : 0 } ?? 0
        return SinkStatus(
            name: activity.name, url: activity.url, state: activity.state, position: position,
            lagEvents: lag, lagSeconds: Double(age) / 1_000_000,
            deliveredEvents: record?.deliveredEvents ?? 0, deliveredBatches: record?.deliveredBatches ?? 0,
            lastSuccess: record?.lastSuccessMicroseconds.map(WireTime.init(microseconds:)),
            lastError: activity.lastError, nextAttempt: activity.nextAttempt)
    }
}

extension EventCounts {
    fileprivate init(_ statistics: StoreStatistics) {
        self.init(
            stored: statistics.storedEvents,
            oldestTime: statistics.oldestRealtimeMicroseconds.map(WireTime.init(microseconds:)),
            newestTime: statistics.newestRealtimeMicroseconds.map(WireTime.init(microseconds:)),
            newestID: statistics.newestEventID,
            seen: Dictionary(
                uniqueKeysWithValues: Resolution.allCases.map { ($0.rawValue, statistics.seen[$0] ?? 0) }),
            resolvedAgain: statistics.resolvedAgain)
    }
}
