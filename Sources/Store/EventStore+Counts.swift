internal import GRDB
package import Model

extension EventStore {
    /// Returns how often each event occurred, by resolution, and how often events without a key occurred, by their
    /// origin. The order is undefined.
    ///
    /// A filter of only names and resolutions is answered from counters that are kept as events arrive. They include
    /// the events that retention removed, and the duration of the call does not depend on the number of events. The
    /// first and last times and the newest event are then those of all events that were ever counted under the name,
    /// including those that are called differently since.
    ///
    /// Nothing else is known of removed events. With a time, a level, boots or conditions on payloads, only stored
    /// events are counted, by reading their columns in short steps. Changes that happen meanwhile may or may not be
    /// counted.
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func eventCounts(matching filter: EventFilter) async throws(StoreError) -> [EventCount] {
        guard !filter.isEmpty else { return [] }
        guard filter.isOnStoredEvents else {
            return try await database.read(.query) { db in try CountReader.events(filter, db).events }
        }
        return try await counts(CountScan(filter, countsEvents: true, findingsOf: [])).events
    }

    /// Returns how often each rule was broken or caused a warning, by event and parameter. The order is undefined. As
    /// with `eventCounts`, the filter decides whether permanent counters are read or stored events are counted.
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

    /// Returns both counts. Where stored events are counted, each is read only once.
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

    /// Returns the globs of `filter` on subsystem, category and event that have never matched an event. A misspelt
    /// glob returns as little as one that matches and has nothing to report. All other conditions of the result are
    /// empty.
    package func neverSeen(of filter: EventFilter) async throws(StoreError) -> EventFilter {
        var globs = NameGlobs(filter)
        guard !globs.isEmpty else { return EventFilter() }
        globs = try await database.read(.query) { [globs] db in
            var globs = globs
            let rows = try BareStatement(db, "SELECT \(CountKey.columns) FROM event_counts")
            while try !globs.isEmpty && rows.step() { try globs.removeMatching(CountKey(rows)) }
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
