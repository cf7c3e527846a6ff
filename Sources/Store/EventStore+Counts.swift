internal import GRDB
package import Model

extension EventStore {
    /// Returns how often each event occurred, by resolution, and how often events without a key occurred, by their
    /// origin. The order is undefined.
    ///
    /// A predicate on only names and resolutions is answered from counters that are kept as events arrive. They include
    /// the events that retention removed, and the duration of the call does not depend on the number of events. The
    /// first and last times and the newest event are then those of all events that were ever counted under the name,
    /// including those that are called differently since.
    ///
    /// Nothing else is known of removed events. With a time, a level, boots or conditions on payloads, only stored
    /// events are counted, by reading their columns in short steps. Changes that happen meanwhile may or may not be
    /// counted.
    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package func eventCounts(matching predicate: Predicate) async throws(StoreError) -> [EventCount] {
        guard predicate.bounds != nil else { return [] }
        guard predicate.isOnStoredEvents else {
            return try await database.read(.query) { db in try CountReader.events(predicate, db).events }
        }
        return try await counts(CountScan(predicate, countsEvents: true, findingsOf: [])).events
    }

    /// Returns how often each rule was broken or caused a warning, by event and parameter. The order is undefined. As
    /// with `eventCounts`, the predicate decides whether permanent counters are read or stored events are counted.
    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package func findingCounts(matching predicate: Predicate) async throws(StoreError) -> [FindingCount] {
        guard predicate.bounds != nil else { return [] }
        guard predicate.isOnStoredEvents else {
            return try await database.read(.query) { db in try CountReader.findings(predicate, db).findings }
        }
        return try await counts(
            CountScan(predicate, countsEvents: false, findingsOf: Set(Resolution.allCases))
        ).findings
    }

    /// Returns both counts. Where stored events are counted, each is read only once.
    /// - Parameter resolutions: only findings of events with one of these are counted.
    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package func counts(
        matching predicate: Predicate, findingsOf resolutions: [Resolution]
    ) async throws(StoreError) -> (events: [EventCount], findings: [FindingCount]) {
        guard predicate.isOnStoredEvents else {
            let having = predicate.and(.resolved(as: resolutions))
            return (try await eventCounts(matching: predicate), try await findingCounts(matching: having))
        }
        guard predicate.bounds != nil else { return ([], []) }
        return try await counts(CountScan(predicate, countsEvents: true, findingsOf: Set(resolutions)))
    }

    private func counts(
        _ scan: CountScan
    ) async throws(StoreError) -> (events: [EventCount], findings: [FindingCount]) {
        let lane = lane(for: scan.predicate)
        try await self.scan(scanParts(on: lane), scan.predicate, on: lane) { try scan.add($0, $1) }
        let counts = scan.counts()
        return (counts.events.events, counts.findings.findings)
    }

    /// Returns which of these values no event ever had. All have a key that events are counted by.
    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package func neverSeen(
        among wanted: [Predicate.Wanted]
    ) async throws(StoreError) -> [Predicate.Wanted] {
        guard !wanted.isEmpty else { return [] }
        return try await database.read(.query) { db in
            var values = try WantedValues(wanted)
            let rows = try BareStatement(db, "SELECT \(CountKey.columns) FROM event_counts")
            while try !values.isEmpty && rows.step() {
                let counted = try CountKey(rows)
                try values.remove(metBy: counted.text)
            }
            return values.rest
        }
    }
}

extension Counts<EventCountName> {
    fileprivate var events: [EventCount] { byName.map { $0.value.count($1) } }
}

extension Counts<FindingCountName> {
    fileprivate var findings: [FindingCount] { byName.map { $0.value.count($1) } }
}
