internal import GRDB
package import Model
internal import Synchronization

extension EventStore {
    /// Returns the oldest events that match `predicate`, ordered by id, between `after` and `before` (both exclusive).
    ///
    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package func events(
        matching predicate: Predicate, after: Int64?, before: Int64?, limit: Int, on lane: ReadLane
    ) async throws(StoreError) -> EventPage {
        try await page(
            StoredEventQuery(predicate, after: after, before: before, order: .oldest, limit: limit), on: lane)
    }

    /// Returns the events for a client, on the lane that is meant for the predicate.
    /// - Parameter bytes: the maximum size of the payloads together, see `PageEnd.needed`; `nil` for about 1 MiB, or
    ///   one event of any size.
    package func events(
        matching predicate: Predicate, after: Int64?, before: Int64?, order: EventOrder, limit: Int, bytes: Int? = nil
    ) async throws(StoreError) -> EventPage {
        try await page(
            StoredEventQuery(predicate, after: after, before: before, order: order, limit: limit, bytes: bytes),
            on: lane(for: predicate))
    }

    func page(_ query: StoredEventQuery, on lane: ReadLane) async throws(StoreError) -> EventPage {
        try await database.read(lane) { [columns] db, turn in
            var scan = try EventScan(db, query: query, cache: columns, turn: turn)
            return try scan.page()
        }
    }

    /// Reads the events into an output, and the gaps between them.
    /// - Parameters:
    ///   - highlight: which of the events are marked.
    ///   - id: where the page ends even if there is room for more; `nil` for nowhere.
    ///   - time: how long it may take before it ends behind a block.
    ///   - isAhead: whether what comes before is read at the same time.
    ///   - withGaps: whether the gaps are read.
    ///   - countsStored: whether the events are counted that are stored there, see `PageEnd.storedEvents`.
    ///   - output: is called on the thread that reads the events.
    package func read<Output: EventOutput>(
        matching predicate: Predicate, highlighting highlight: Predicate? = nil, after: Int64?, before: Int64?,
        order: EventOrder, through id: Int64? = nil, limit: Int, time: Duration? = nil, isAhead: Bool = false,
        withGaps: Bool = true, countsStored: Bool = false, into output: @escaping @Sendable () -> Output
    ) async throws(StoreError) -> EventPart<Output> {
        var query = StoredEventQuery(
            predicate, after: after, before: before, order: order, limit: limit, highlight: highlight)
        (query.through, query.time) = (id, time)
        let usual = lane(for: predicate, highlight)
        let lane = isAhead ? usual.beside : usual
        return try await database.read(lane) { [columns, query] db, turn in
            var scan = try EventScan(db, query: query, into: output(), cache: columns, turn: turn)
            var end = try scan.run()
            if countsStored, let ids = query.examinedIDs(until: end.next) {
                end.storedEvents = try StoredRange.count(of: ids, db)
            }
            let gapIDs = withGaps ? query.gapIDs(until: end.next) : nil
            let gaps = try gapIDs.map { try GapTable.records(behind: $0, db) } ?? []
            return EventPart(events: scan.output, gaps: gaps, end: end)
        }
    }

    /// Returns the lane for a predicate. Queries that read payloads wait for each other, but other queries do not wait
    /// for them.
    func lane(for predicate: Predicate, _ highlight: Predicate? = nil) -> ReadLane {
        predicate.looksIntoPayloads || highlight?.looksIntoPayloads ?? false ? .search : .query
    }

    /// Returns the latest events, by the time at which they were sent, that match `predicate`.
    /// - Parameters:
    ///   - count: the maximum number. The places of all of them are kept in memory.
    ///   - last: only events up to this id.
    ///   - place: only events that were sent before it.
    ///   - bytes: the maximum size of the payloads of events that are read together with their places.
    ///   - highlight: which of these are marked.
    package func newest(
        _ count: Int, matching predicate: Predicate, upTo last: Int64, before place: EventPlace? = nil, bytes: Int = 0,
        highlighting highlight: Predicate? = nil
    ) async throws(StoreError) -> NewestEvents {
        guard count > 0, last > 0, predicate.bounds != nil else { return NewestEvents() }
        var scan = NewestScan(
            of: count, matching: predicate, ids: 1...last, before: place ?? .last, bytes: bytes, highlighting: highlight
        )
        try await inSteps(&scan, on: lane(for: predicate, highlight)) { [columns] scan, db, turn in
            try scan.step(db, columns.current, turn)
        }
        return scan.found
    }

    /// Returns events by their ids, in the given order.
    /// - Parameters:
    ///   - bytes: the maximum size of the payloads together, see `EventPage.needed`.
    ///   - highlight: which of the events are marked.
    /// - Returns: As many of the first events as there is room for, or time if marking is slow, without those that no
    ///   longer exist, and the number of ids that this covers.
    package func events(
        ids: [Int64], bytes: Int, highlighting highlight: Predicate? = nil
    ) async throws(StoreError) -> (page: EventPage, handled: Int) {
        try await database.read(lane(for: .everything, highlight)) { [columns] db, turn in
            var lookup = try EventLookup(
                db, ids, bytes: bytes, highlighting: highlight, cache: columns.current, turn: turn)
            return try lookup.read()
        }
    }

    /// Returns how many events match `predicate`.
    /// - Parameters:
    ///   - after: only events after this one.
    ///   - last: only events up to this one.
    package func count(
        matching predicate: Predicate, after: Int64, through last: Int64
    ) async throws(StoreError) -> Int {
        var query = StoredEventQuery(predicate, after: after, before: last + 1, onlyIDs: true)
        var count = 0
        while true {
            let (next, found) = try await database.read(lane(for: predicate)) { [columns, query] db, turn in
                var scan = try EventScan(db, query: query, cache: columns, turn: turn)
                return (try scan.run().next, scan.found)
            }
            count += found
            guard let next else { return count }
            query.after = next
        }
    }

    /// Returns which of these events are stored.
    /// - Parameter times: their times, in microseconds since 1970. The fewer stored events are around them, the faster
    ///   the answer.
    package func storedUIDs(among uids: Set<EventUID>, times: [UInt64]) async throws(StoreError) -> Set<EventUID> {
        var search = (uids: StoredUIDs(among: uids), after: Int64(0))
        for span in Admission.spans(of: times) {
            search.after = 0
            try await inSteps(&search, on: .query) { search, db, turn in
                let reached = try search.uids.look(at: span, in: search.after + 1 ... .max, db, turn)
                search.after = reached ?? .max
                return reached != nil
            }
        }
        return search.uids.found
    }

    /// Returns which of these events are stored, or may be in a damaged block.
    package func storedIDs(among ids: Set<Int64>) async throws(StoreError) -> Set<Int64> {
        var search = (stored: Set<Int64>(), rest: ids.sorted()[...])
        try await inSteps(&search, on: .query) { search, db, turn in
            while let id = search.rest.popFirst() {
                if try StoredRange.mayHave(id, db) { search.stored.insert(id) }
                if turn.shouldEnd { break }
            }
            return !search.rest.isEmpty
        }
        return search.stored
    }

    /// Runs steps that each read a snapshot of their own. A caller that was cancelled gets an error instead of a
    /// partial result.
    /// - Parameter step: returns whether there is more to do.
    func inSteps<State: Sendable>(
        _ state: inout State, on lane: ReadLane,
        _ step: @escaping @Sendable (inout State, Database, ReadTurn) throws -> Bool
    ) async throws(StoreError) {
        // The only reference to the state, so that no step copies what previous steps have collected.
        let held = Held(state)
        while try await database.read(lane, { db, turn in try held.state.withLock { try step(&$0, db, turn) } }) {}
        state = held.state.withLock(\.self)
    }

    private final class Held<State: Sendable>: Sendable {
        let state: Mutex<State>

        init(_ state: State) { self.state = Mutex(state) }
    }

    /// Returns gap records, ascending by id, at most `limit`.
    package func gaps(after id: Int64, limit: Int) async throws(StoreError) -> [GapRecord] {
        try await database.read(.query) { db in try GapTable.records(after: id, limit: limit, db) }
    }

    /// Calls `body` with all gap records, ascending by id. It reads a page at a time.
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

    /// Returns the gaps after an event of `ids` (a page's first to last event), ascending.
    package func gaps(behind ids: ClosedRange<Int64>) async throws(StoreError) -> [GapRecord] {
        try await database.read(.query) { db in try GapTable.records(behind: ids, db) }
    }

    package func statistics() async throws(StoreError) -> StoreStatistics {
        try await database.read(.status) { db in
            let times = try StoredRange.times(db)
            return StoreStatistics(
                seen: try Totals.seen(db), entries: try Totals.entries(db), storedEvents: try StoredRange.count(db),
                oldestEventID: try StoredRange.ids(db)?.lowerBound, newestEventID: try Totals.lastEventID(db),
                oldestRealtimeMicroseconds: times.map { UInt64(clamping: $0.lowerBound) },
                newestRealtimeMicroseconds: times.map { UInt64(clamping: $0.upperBound) },
                droppedEvents: try Totals.droppedEvents(db), reprocessed: try Totals.reprocessed(db))
        }
    }

    // These are no part of the statistics, since damage of their tables must not hide those.

    /// Returns the times until which retention removed events.
    package func removedUntil() async throws(StoreError) -> RemovedUntil {
        try await database.read(.status) { db in try RemovalTable.removedUntil(db) }
    }

    /// Returns the number of gap records.
    package func gapCount() async throws(StoreError) -> Int64 {
        try await database.read(.status) { db in try GapTable.count(db) }
    }

    /// Returns the number of gaps since the store was created, including those that are no longer kept.
    package func gapsEverSeen() async throws(StoreError) -> Int64 {
        try await database.read(.status) { db in try GapTable.everSeen(db) }
    }

    /// Returns the space that the events of each source take.
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

    /// Returns the texts of the rules that took stored events.
    package func storedSources() async throws(StoreError) -> Set<ExactString> {
        try await database.read(.status) { db in
            let packed = try BlockSourceTable.uses(db).map(\.source)
            let open = try OpenEventTable.times(upTo: .max, db).map(\.source)
            return Set(exact: packed + open)
        }
    }

    /// The size of the database and its write-ahead log together.
    package var fileBytes: Int64 {
        let sizes = database.file.sizes
        return sizes.database + sizes.wal
    }
}
