internal import GRDB
internal import Model

/// What replacing events changes besides the events.
struct ReplacedEvents: Sendable {
    private var tally = CountTally()
    private var seen: [Resolution: Int64] = [:]
    /// How many were changed, by what they are now.
    private(set) var replaced: [Resolution: Int] = [:]
    /// Of the sources whose events left, the latest time of one.
    private(set) var over: [ExactString: Int64] = [:]

    var isEmpty: Bool { replaced.isEmpty && over.isEmpty }

    mutating func replace(_ event: inout Event, by change: ReprocessedEvent) {
        tally.remove(event.origin, ResolvedKind(event.resolution, event.kind), event.findings)
        tally.add(
            event.origin, ResolvedKind(change.resolution, change.kind), change.findings, id: event.id,
            time: Int64(bitPattern: event.realtimeMicroseconds))
        seen[event.resolution, default: 0] -= 1
        seen[change.resolution, default: 0] += 1
        replaced[change.resolution, default: 0] += 1
        event.take(change)
    }

    mutating func remove(_ event: Event) {
        let (source, time) = (ExactString(event.origin.source), Int64(bitPattern: event.realtimeMicroseconds))
        over[source] = max(over[source] ?? 0, time)
    }

    /// Within the transaction that changes the events.
    func count(_ db: Database, _ state: inout WriterState) throws {
        state.mayHaveUnusedVersions = state.mayHaveUnusedVersions || !isEmpty
        guard !replaced.isEmpty else { return }
        try state.counters.add(tally, db)
        try Totals.move(seen: seen, db)
        try Totals.add(reprocessed: Int64(replaced.values.reduce(0, +)), db)
    }
}
