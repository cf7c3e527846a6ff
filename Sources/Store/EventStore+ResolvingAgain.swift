internal import GRDB
package import Model

extension EventStore {
    /// How many changes one call of `replace` should have so that a store of this size can take them with ease.
    package var maximumReplacements: Int { limit.replacements }

    /// Goes through the kinds of stored events that have one of these resolutions, one for each series. There may be as
    /// many as senders please, so that only one at a time is in memory.
    /// - Parameters:
    ///   - version: only of events that were resolved with it; `nil`: of all.
    ///   - update: takes from a kind what is wanted. It runs on a thread of the database.
    package func storedKinds<Result: Sendable>(
        resolutions: Set<Resolution>, of version: PastVersion? = nil, into result: Result,
        _ update: @escaping @Sendable (inout Result, StoredKind) -> Void
    ) async throws(StoreError) -> Result {
        try await database.read(.definitions) { db in
            let wanted = version == nil ? "" : "AND dictionary = ?1 AND definitions_version = ?2"
            let rows = try BareStatement(
                db,
                """
                SELECT id, subsystem, category, resolution, dictionary, definitions_version, event_category, event_name
                FROM series JOIN series_use ON series = id WHERE stored > 0 \(wanted) ORDER BY id
                """)
            if let version {
                try rows.bind(1, version.dictionary)
                try rows.bind(2, version.version)
            }
            var result = result
            while try rows.step() {
                guard let resolution = Resolution(rawValue: rows.text(3)), resolutions.contains(resolution) else {
                    continue
                }
                let key = rows.isNull(7) ? nil : EventKey(category: rows.text(6), name: rows.text(7))
                let kind = EventKind(
                    dictionary: rows.optionalText(4), definitionsVersion: rows.optionalText(5), key: key)
                update(
                    &result,
                    StoredKind(
                        series: rows.int64(0), subsystem: rows.text(1), category: rows.text(2),
                        resolution: resolution, kind: kind))
            }
            return result
        }
    }

    /// Events of these series after an id, oldest first. It is bounded as `events(matching:)` is and reads a snapshot:
    /// what is saved or replaced meanwhile is not held up.
    package func events(
        ofSeries series: Set<Int64>, after: Int64, limit: Int
    ) async throws(StoreError) -> EventPage {
        let query = EventQuery(
            filter: EventFilter(), after: after, before: nil, order: .oldest, limit: limit, series: series)
        return try await page(query, on: .definitions)
    }

    /// Replaces what was found out about stored events, in one short transaction: all of it or nothing. Id, time, cursor
    /// and uid stay; counters, postings and findings follow. Where an event is named twice, the later change holds.
    ///
    /// What payloads were before is overwritten in the database, and is in the write-ahead log until `tidy` empties it.
    ///
    /// A batch that was frozen for a sink keeps the bytes that it has. The feed is not told: tails have shown these
    /// events and do not show them again.
    /// - Returns: how many were changed, by what they are now. Events that are gone, or already are as they should be, are passed over.
    /// - Throws: `.full` as `save` does, then nothing was changed: see `maximumReplacements`.
    package func replace(_ changes: [ResolvedAgain]) async throws(StoreError) -> [Resolution: Int] {
        guard !changes.isEmpty else { return [:] }
        return try await change { [self] db, state in
            let known = try StoredRows.series(of: changes, catalog: catalog, db)
            try makeRoom(for: BatchCost(changes, known: known), db, &state)
            var replaced: [Resolution: Int] = [:]
            try state.transaction(db) { state in
                var writer = try ReplacementWriter(db, catalog: catalog)
                replaced = try writer.write(changes, state: &state)
            }
            if changes.contains(where: { $0.payload != nil }) { state.hasOldPayloadsInLog = true }
            // What was committed stays committed: this may fail, and comes again.
            try? shortenLog(db, &state)
            return replaced
        }
    }
}
