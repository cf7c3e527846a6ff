internal import GRDB
package import Model

extension EventStore {
    /// How often each event came, by resolution, and how often events without a key, by whose they are; in no particular
    /// order.
    ///
    /// A filter of names and resolutions is answered from what was counted as events came in, of those that are stored and
    /// of those that retention removed: the answer takes no longer when there are more events. First, last and newest are
    /// then those of all events that were ever counted there, also of those that are called something else since.
    ///
    /// Of removed events nothing else is known: with a time, a level, boots or conditions on payloads, the stored events are
    /// counted that meet the filter, from their columns. It is read in short steps: what changes meanwhile may or may not
    /// be counted.
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func eventCounts(matching filter: EventFilter) async throws(StoreError) -> [EventCount] {
        guard !filter.isEmpty else { return [] }
        guard filter.isOnStoredEvents else {
            return try await database.read(.query) { db in try CountReader.events(filter, db).events }
        }
        return try await counts(CountScan(filter, countsEvents: true, findingsOf: [])).events
    }

    /// How often each rule was broken or warned of, by event and parameter; in no particular order. What is counted for ever
    /// and what is counted when it is asked is as with `eventCounts`.
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func findingCounts(matching filter: EventFilter) async throws(StoreError) -> [FindingCount] {
        guard !filter.isEmpty else { return [] }
        guard filter.isOnStoredEvents else {
            return try await database.read(.query) { db in try CountReader.findings(filter, db).findings }
        }
        return try await counts(
            CountScan(filter, countsEvents: false, findingsOf: Set(Resolution.allCases))
        ).findings
    }

    /// Both at once: where stored events are counted, each of them is looked at once.
    /// - Parameter resolutions: only findings of events with one of these are counted.
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func counts(
        matching filter: EventFilter, findingsOf resolutions: [Resolution]
    ) async throws(StoreError) -> (events: [EventCount], findings: [FindingCount]) {
        guard filter.isOnStoredEvents, !filter.isEmpty else {
            var having = filter
            having.resolutions =
                filter.resolutions.isEmpty
                ? resolutions : resolutions.filter(filter.resolutions.contains)
            guard !having.resolutions.isEmpty else { return (try await eventCounts(matching: filter), []) }
            return (try await eventCounts(matching: filter), try await findingCounts(matching: having))
        }
        return try await counts(CountScan(filter, countsEvents: true, findingsOf: Set(resolutions)))
    }

    private func counts(
        _ scan: CountScan
    ) async throws(StoreError) -> (events: [EventCount], findings: [FindingCount]) {
        var scan = scan
        try await inSteps(&scan, on: lane(for: scan.filter)) { scan, db, turn in try scan.step(db, turn) }
        return (scan.counts.events.events, scan.counts.findings.findings)
    }

    /// The globs of `filter` on subsystem, category and event that fit no event that ever came: a misspelt glob finds
    /// as little as one that fits and has nothing to report. All else in the result is empty.
    package func neverSeen(of filter: EventFilter) async throws(StoreError) -> EventFilter {
        var globs = NameGlobs(filter)
        guard !globs.isEmpty else { return EventFilter() }
        globs = try await database.read(.query) { [globs] db in
            var globs = globs
            let rows = try BareStatement(db, "SELECT \(CountKey.columns) FROM event_counts")
            while try !globs.isEmpty && rows.step() { try globs.strike(CountKey(rows)) }
            return globs
        }
        return globs.rest
    }
}

extension Counts<EventCountName> {
    fileprivate var events: [EventCount] { byName.map { $0.value.count($1) } }
}

extension Counts<FindingCountName> {
    fileprivate var findings: [FindingCount] { byName.map { $0.value.count($1) } }
}
