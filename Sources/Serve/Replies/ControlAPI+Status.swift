import API
import Hummingbird
import Model
import Predicates
import Queries
import Store

extension ControlAPI {
    /// `GET /v1/status`
    func status(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: try await currentStatus(for: context) { $0.kind == .corrupt || $0.kind == .disk }.reply)
    }

    /// `GET /v1/diagnostics`
    func diagnostics(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: await daemon.diagnosticList())
    }

    /// A reply, and what it was made from.
    struct CurrentStatus {
        var reply: StatusReply
        var daemon: DaemonStatus
        /// The records of the sinks; `nil` if they cannot be read.
        var records: [SinkRecord]?
    }

    /// - Parameter isTolerated: whether the reply should come without what the store could not answer for this reason.
    /// - Throws: the other errors of the store.
    func currentStatus(
        for context: ControlContext, unless isTolerated: (StoreError) -> Bool
    ) async throws -> CurrentStatus {
        let statistics = try await unless(isTolerated) { () async throws(StoreError) in try await store.statistics() }
        let gapCount = try await unless(isTolerated) { () async throws(StoreError) in try await store.gapCount() }
        let uses = try await unless(isTolerated) { () async throws(StoreError) in try await store.sourceUses() }
        // Read first, since damage found here becomes one of the problems.
        let daemon = await daemon.status()
        let dictionaries = await self.daemon.dictionaries()
        let now = now()
        let records = try await unless(isTolerated) { () async throws(StoreError) in try await store.openedSinks() }
        var journal = daemon.journal
        journal.entries = statistics.map { JournalStatus.Entries($0.entries) }
        var sinks: [SinkStatus] = []
        let definitions = daemon.sinks.contains { $0.predicate != nil } ? dictionaries.map(\.dictionary) : []
        let isShown = try await shownPredicates(definitions, to: context)
        for var activity in daemon.sinks {
            guard let records else { break }
            activity.predicate = activity.predicate.flatMap { isShown($0) ? $0 : nil }
            let record = records.first { $0.name == activity.name }
            sinks.append(
                try await sink(activity, record, newest: statistics?.newestEventID, now: now, unless: isTolerated))
        }
        let reply = StatusReply(
            version: daemon.version, state: daemon.state, problems: daemon.problems,
            startedAt: WireTime(microseconds: daemon.startedAtMicroseconds),
            uptimeSeconds: daemon.uptime / .seconds(1), pid: daemon.pid, journal: journal,
            events: statistics.map(EventCounts.init), dictionaries: dictionaries.map(DictionaryStatus.init),
            sinks: sinks,
            gaps: gapCount.flatMap { count in
                statistics.map { GapCounts(count: count, droppedEvents: $0.droppedEvents) }
            },
            store: StoreStatus(
                path: store.options.path, bytes: store.fileBytes, maxBytes: store.options.maximumBytes,
                whenFull: store.options.whenFull.rawValue, paused: daemon.isPaused,
                sources: uses.map(sources)),
            tails: tails.taken, privacy: daemon.privacy,
            reprocessing: daemon.reprocessing)
        return CurrentStatus(reply: reply, daemon: daemon, records: records)
    }

    /// More rules than settings have; removed rules may have left more.
    private static let mostSources = 100

    private func sources(_ uses: [SourceUse]) -> [SourceStatus] {
        uses.sorted { ($1.bytes, $0.source) < ($0.bytes, $1.source) }.prefix(Self.mostSources).map { use in
            SourceStatus(
                source: use.source, events: use.events, bytes: use.bytes,
                maxBytes: use.retention.bytes(of: store.options.maximumBytes),
                keepSeconds: use.retention.maximumAge.map { $0 / .seconds(1) })
        }
    }

    /// - Returns: `nil` if the store has no answer for a reason that is tolerated, such as damage.
    func unless<Value>(
        _ isTolerated: (StoreError) -> Bool, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value? {
        do {
            return try await body()
        } catch  where isTolerated(error) {
            return nil
        }
    }

    /// - Parameter newest: the last event; `nil` if it is not known.
    private func sink(
        _ activity: SinkActivity, _ record: SinkRecord?, newest: Int64?, now: UInt64,
        unless isTolerated: (StoreError) -> Bool
    ) async throws -> SinkStatus {
        let newest = newest ?? store.feed.latest
        // A sink that the store does not know yet has no lag.
        let position = record?.position ?? newest
        // Events that were removed before delivery do not count as lag, nor do events that were stored after the count.
        let page = try await unless(isTolerated) { () async throws(StoreError) in
            try await store.events(
                matching: .everything, after: position, before: newest + 1, limit: 1, on: .status)
        }
        let next = page?.events.first
        let lag = page == nil ? max(0, newest - position) : next.map { newest - $0.id + 1 } ?? 0
        let age = next.map { now > $0.realtimeMicroseconds ? now - $0.realtimeMicroseconds : 0 } ?? 0
        return SinkStatus(
            name: activity.name, url: activity.url, predicate: activity.predicate, state: activity.state,
            position: position,
            lagEvents: lag, lagSeconds: page.map { _ in Double(age) / 1_000_000 },
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
            everSeen: Dictionary(
                uniqueKeysWithValues: Resolution.allCases.map { ($0.rawValue, statistics.seen[$0] ?? 0) }),
            reprocessed: statistics.reprocessed)
    }
}
