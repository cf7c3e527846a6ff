internal import GRDB
package import Model

extension EventStore {
    /// The events that meet `filter`, ordered by id, of those after `after` and before `before` (both exclusive).
    ///
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func events(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int
    ) async throws(StoreError) -> EventPage {
        let query = EventQuery(filter: filter, after: after, before: before, order: order, limit: limit)
        return try await database.read { [catalog] db in
            var reader = try EventReader(db, catalog: catalog, query: query)
            return try reader.page()
        }
    }

    package func event(id: Int64) async throws(StoreError) -> Event? {
        guard id > 0 else { return nil }
        let (after, before) = (id - 1, id == .max ? id : id + 1)
        return try await events(matching: EventFilter(), after: after, before: before, order: .oldest, limit: 1)
            .events.first { $0.id == id }
    }

    /// Ascending by id, at most `limit`.
    package func gaps(after id: Int64, limit: Int) async throws(StoreError) -> [GapRecord] {
        try await database.read { db in try GapTable.records(after: id, limit: limit, db) }
    }

    /// Gaps that lie behind an event of `ids` (a page's first to last event), ascending.
    package func gaps(behind ids: ClosedRange<Int64>) async throws(StoreError) -> [GapRecord] {
        try await database.read { db in try GapTable.records(behind: ids, db) }
    }

    package func statistics() async throws(StoreError) -> StoreStatistics {
        try await database.read { [database, limit] db in
            let stored = try EventRange.stored(db)
            let sizes = database.file.sizes
            return StoreStatistics(
                seen: try Totals.seen(db), storedEvents: stored.map { $0.upperBound - $0.lowerBound + 1 } ?? 0,
                oldestEventID: stored?.lowerBound, newestEventID: try Totals.lastEventID(db),
                oldestRealtimeMicroseconds: try stored.flatMap { try EventRange.time(of: $0.lowerBound, db) },
                newestRealtimeMicroseconds: try stored.flatMap { try EventRange.time(of: $0.upperBound, db) },
                fileBytes: sizes.database + sizes.wal, maximumBytes: limit.bytes,
                gapCount: try GapTable.everSeen(db), droppedEvents: try Totals.droppedEvents(db),
                resolvedAgain: try Totals.resolvedAgain(db), sinks: try SinkTable.active(db))
        }
    }
}
