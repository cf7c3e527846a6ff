internal import GRDB
package import Model
internal import Synchronization

extension EventStore {
    /// The events that meet `filter`, ordered by id, of those after `after` and before `before` (both exclusive).
    ///
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func events(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int, on lane: ReadLane
    ) async throws(StoreError) -> EventPage {
        try await page(
            StoredEventQuery(filter: filter, after: after, before: before, order: order, limit: limit), on: lane)
    }

    /// The same for a client, on the lane that the filter belongs to.
    /// - Parameter bytes: the most that payloads may have together, see `PageEnd.needed`; `nil` for about 1 MiB, and one
    ///   event however large.
    package func events(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int, bytes: Int? = nil
    ) async throws(StoreError) -> EventPage {
        try await page(
            StoredEventQuery(filter: filter, after: after, before: before, order: order, limit: limit, bytes: bytes),
            on: lane(for: filter))
    }

    func page(_ query: StoredEventQuery, on lane: ReadLane) async throws(StoreError) -> EventPage {
        try await database.read(lane) { [columns] db, turn in
            var scan = try EventScan(db, query: query, cache: columns, turn: turn)
            return try scan.page()
        }
    }

    /// The same, into what somebody makes of them.
    /// - Parameter output: called where the events are read.
    package func read<Output: EventOutput>(
        matching filter: EventFilter, after: Int64?, before: Int64?, order: EventOrder, limit: Int,
        into output: @escaping @Sendable () -> Output
    ) async throws(StoreError) -> (Output, PageEnd) {
        let query = StoredEventQuery(filter: filter, after: after, before: before, order: order, limit: limit)
        return try await database.read(lane(for: filter)) { [columns] db, turn in
            var scan = try EventScan(db, query: query, into: output(), cache: columns, turn: turn)
            let end = try scan.run()
            return (scan.output, end)
        }
    }

    /// Queries that read payloads wait for each other, and no others for them.
    func lane(for filter: EventFilter) -> ReadLane {
        filter.looksIntoPayloads ? .search : .query
    }

    /// The events that were sent last, of those that meet `filter`.
    /// - Parameters:
    ///   - count: how many at most. All of their places are in memory.
    ///   - last: only of events up to this id.
    ///   - place: only of those that were sent before it.
    ///   - bytes: how many bytes payloads may have together of events that are read at once.
    package func newest(
        _ count: Int, matching filter: EventFilter, upTo last: Int64, before place: EventPlace? = nil, bytes: Int = 0
    ) async throws(StoreError) -> NewestEvents {
        guard count > 0, last > 0, !filter.isEmpty else { return NewestEvents() }
        var scan = NewestScan(of: count, matching: filter, ids: 1...last, before: place ?? .last, bytes: bytes)
        try await inSteps(&scan, on: lane(for: filter)) { [columns] scan, db, turn in
            try scan.step(db, columns.current, turn)
        }
        return scan.found
    }

    /// Events by their ids, in that order.
    /// - Parameter bytes: the most that payloads may have together, see `EventPage.needed`.
    /// - Returns: of the first of them, as many as there is room for, those that are gone left out, and how many those are.
    package func events(
        ids: [Int64], bytes: Int
    ) async throws(StoreError) -> (page: EventPage, looked: Int) {
        try await database.read(.query) { [columns] db in
            var lookup = EventLookup(db, ids, bytes: bytes, cache: columns.current)
            return try lookup.read()
        }
    }

    /// How many events meet `filter`.
    /// - Parameters:
    ///   - after: only those after this one.
    ///   - last: only up to this one.
    package func count(
        matching filter: EventFilter, after: Int64, through last: Int64
    ) async throws(StoreError) -> Int {
        var query = StoredEventQuery(filter: filter, after: after, before: last + 1, onlyIDs: true)
        var count = 0
        while true {
            let (next, found) = try await database.read(lane(for: filter)) { [columns, query] db, turn in
                var scan = try EventScan(db, query: query, cache: columns, turn: turn)
                return (try scan.run().next, scan.found)
            }
            count += found
            guard let next else { return count }
            query.after = next
        }
    }

    package func event(id: Int64) async throws(StoreError) -> Event? {
        guard id > 0 else { return nil }
        let (after, before) = (id - 1, id == .max ? id : id + 1)
        return try await events(matching: EventFilter(), after: after, before: before, order: .oldest, limit: 1)
            .events.first { $0.id == id }
    }

    /// Which of these events are stored.
    /// - Parameter times: microseconds since 1970 that all of them lie between. The fewer events are stored of these, the
    ///   sooner there is an answer.
    package func storedUIDs(
        among uids: Set<EventUID>, times: ClosedRange<UInt64>
    ) async throws(StoreError) -> Set<EventUID> {
        let range = Int64(clamping: times.lowerBound)...Int64(clamping: times.upperBound)
        var search = (uids: StoredUIDs(among: uids), after: Int64(0))
        try await inSteps(&search, on: .query) { search, db, turn in
            let reached = try search.uids.look(at: range, in: search.after + 1 ... .max, db, turn)
            search.after = reached ?? .max
            return reached != nil
        }
        return search.uids.found
    }

    /// Each step reads a snapshot of its own. A caller that was cancelled gets an error instead of a part.
    /// - Parameter step: returns whether there is more to do.
    func inSteps<State: Sendable>(
        _ state: inout State, on lane: ReadLane,
        _ step: @escaping @Sendable (inout State, Database, ReadTurn) throws -> Bool
    ) async throws(StoreError) {
        // Nobody else has it, so that no step copies what the ones before have gathered.
        let held = Held(state)
        while try await database.read(lane, { db, turn in try held.state.withLock { try step(&$0, db, turn) } }) {}
        state = held.state.withLock(\.self)
    }

    private final class Held<State: Sendable>: Sendable {
        let state: Mutex<State>

        init(_ state: State) { self.state = Mutex(state) }
    }

    /// Ascending by id, at most `limit`.
    package func gaps(after id: Int64, limit: Int) async throws(StoreError) -> [GapRecord] {
        try await database.read(.query) { db in try GapTable.records(after: id, limit: limit, db) }
    }

    /// All of them, ascending by id, a page at a time.
    package func forEachGap(_ body: (GapRecord) -> Void) async throws(StoreError) {
        let limit = 1000
        var last: Int64 = 0
        while true {
            let page = try await gaps(after: last, limit: limit)
            for record in page { body(record) }
            guard page.count == limit, let end = page.last?.id else { return }
            last = end
        }
    }

    /// Gaps that lie behind an event of `ids` (a page's first to last event), ascending.
    package func gaps(behind ids: ClosedRange<Int64>) async throws(StoreError) -> [GapRecord] {
        try await database.read(.query) { db in try GapTable.records(behind: ids, db) }
    }

    package func statistics() async throws(StoreError) -> StoreStatistics {
        try await database.read(.status) { db in
            let times = try StoredRange.times(db)
            return StoreStatistics(
                seen: try Totals.seen(db), entries: try Totals.entries(db), storedEvents: try StoredRange.count(db),
                oldestEventID: try StoredRange.ids(db)?.lowerBound, newestEventID: try Totals.lastEventID(db),
                oldestRealtimeMicroseconds: times.map { UInt64(bitPattern: $0.lowerBound) },
                newestRealtimeMicroseconds: times.map { UInt64(bitPattern: $0.upperBound) },
                removed: try RemovalTable.removedUntil(db),
                gapCount: try GapTable.everSeen(db), droppedEvents: try Totals.droppedEvents(db),
                reprocessed: try Totals.reprocessed(db))
        }
    }

    /// What the events of each source take.
    package func sourceUses() async throws(StoreError) -> [SourceUse] {
        let rules = sources.withLock(\.self)
        return try await database.read(.status) { db in
            var uses = try BlockSourceTable.uses(db)
            for place in uses.indices {
                uses[place].retention = rules[ExactString(uses[place].source)] ?? SourceRetention()
            }
            return uses
        }
    }

    /// Database and write-ahead log together.
    package var fileBytes: Int64 {
        let sizes = database.file.sizes
        return sizes.database + sizes.wal
    }
}
