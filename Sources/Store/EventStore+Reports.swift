internal import GRDB
package import Model

extension EventStore {
    /// How often each event came, by resolution, and how often events without a key, by whose they are; in no particular
    /// order.
    ///
    /// Without `since` and `until` it is what was counted as events came in, of those that are stored and of those that
    /// retention removed: the answer takes no longer when there are more events. Of removed events level and boot are
    /// not known: with `filter.level` or `filter.boots` only those that are stored count. Times are then, and of events
    /// that were resolved again since, those of all events that were ever counted there.
    ///
    /// With `since` or `until` only stored events count, by what was counted of each block. With level or boots besides,
    /// each block is counted by its postings, and first and last are those in the order of arrival. It is read in
    /// short steps: what changes meanwhile may or may not be counted.
    ///
    /// With `filter.grep` or `filter.parameters` the stored events that may fit are read, page by page: that takes longer
    /// the more there are.
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func eventUse(matching filter: EventFilter) async throws(StoreError) -> [EventUse] {
        guard !filter.isEmpty else { return [] }
        let table: UseTable<EventUseName>
        if filter.isOnPayloads {
            table = try await readUse(filter) { _, use in [EventUseName(use)] }
        } else if let times = filter.times {
            table = try await timedEventUse(times, filter)
        } else {
            table = try await database.read(.query) { db in
                let counters = UseCounters(db, filter)
                return try filter.hasOrigin ? counters.storedEvents() : counters.events()
            }
        }
        return table.sums.map { $0.use($1) }
    }

    /// How often each rule was broken or warned of, by event and parameter; in no particular order.
    ///
    /// As `eventUse`: without `since` and `until`, level, boots and conditions on payloads all that ever came, else what
    /// is stored.
    /// - Throws: `.invalidPattern` when `filter.grep` is not a regular expression.
    package func findingUse(matching filter: EventFilter) async throws(StoreError) -> [FindingUse] {
        guard !filter.isEmpty else { return [] }
        let table: UseTable<FindingUseName>
        if filter.isOnPayloads {
            table = try await readUse(filter) { event, use in
                (event.findings?.rules ?? []).map { FindingUseName(use, rule: $0.rule, parameter: $0.parameter) }
            }
        } else if let times = filter.times ?? (filter.hasOrigin ? Int64.min...Int64.max : nil) {
            var use = TimedFindingUse(times: times, filter: filter)
            try await inSteps(&use, on: .query) { use, db, turn in try use.step(db, turn) }
            table = use.table
        } else {
            table = try await database.read(.query) { db in
                var counters = UseCounters(db, filter)
                return try counters.findings()
            }
        }
        return table.sums.map { $0.use($1) }
    }

    /// The globs of `filter` on subsystem, category and event that fit no event that ever came: a misspelt glob finds
    /// as little as one that fits and has nothing to report. All else in the result is empty.
    package func neverSeen(of filter: EventFilter) async throws(StoreError) -> EventFilter {
        var globs = NameGlobs(filter)
        guard !globs.isEmpty else { return EventFilter() }
        globs = try await database.read(.query) { [globs] db in
            var globs = globs
            let rows = try BareStatement(db, "SELECT \(EventUseKey.columns) FROM event_use WHERE seen > 0")
            while try !globs.isEmpty && rows.step() { try globs.strike(EventUseKey(rows)) }
            return globs
        }
        return globs.rest
    }

    private func timedEventUse(
        _ times: ClosedRange<Int64>, _ filter: EventFilter
    ) async throws(StoreError) -> UseTable<EventUseName> {
        if filter.hasOrigin {
            var use = TimedSeriesUse(times: times, filter: filter)
            try await inSteps(&use, on: .query) { use, db, turn in try use.step(db, turn) }
            return use.table
        }
        var use = TimedEventUse(times: times, filter: filter)
        try await inSteps(&use, on: .query) { use, db, turn in try use.step(db, turn) }
        return use.table
    }

    private func readUse<Name: UseName>(
        _ filter: EventFilter, names: @escaping @Sendable (Event, EventUseKey) -> [Name]
    ) async throws(StoreError) -> UseTable<Name> {
        var use = ReadUse(filter, names: names)
        try await inSteps(&use, on: lane(for: filter)) { [catalog] use, db, turn in try use.step(db, catalog, turn) }
        return use.table
    }
}

extension EventFilter {
    /// Whether it asks for what is only known of stored events.
    fileprivate var hasOrigin: Bool { level != nil || !boots.isEmpty }

    /// Whether it asks for what only the payloads say.
    fileprivate var isOnPayloads: Bool { grep != nil || !parameters.isEmpty }
}
