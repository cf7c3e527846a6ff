package import API
import Model
import Store

extension ReportMaker {
    /// What the filter covers, without a report.
    package func scope() async throws -> ReportScope {
        try await scope(of: .violations, uses(), store.statistics())
    }

    /// What the report covers.
    /// - Parameter uses: from `uses()`.
    func scope(of report: ReportKind, _ uses: [EventCount], _ stored: StoreStatistics) async throws -> ReportScope {
        var events: [String: Int64] = [:]
        for use in uses where use.count > 0 { events[use.resolution.rawValue, default: 0] += use.count }
        let gaps = try await gaps()
        let unknown = try await unknown(to: report)
        return ReportScope(
            events: events, gaps: gaps.isEmpty ? nil : gaps,
            storedSince: try await storedSince(stored).map(WireTime.init(microseconds:)),
            unknown: unknown.isEmpty ? nil : unknown)
    }

    private func gaps() async throws -> [ReportScope.Gaps] {
        var sums: [Gap.Cause: ReportScope.Gaps] = [:]
        try await store.forEachGap { record in
            guard predicate.concerns(record.gap) else { return }
            sums[record.gap.cause, default: ReportScope.Gaps(cause: record.gap.cause.rawValue)].add(record.gap)
        }
        return Gap.Cause.allCases.compactMap { sums[$0] }
    }

    /// The time since when all events that may meet the filter are stored, if retention removed earlier ones.
    private func storedSince(_ stored: StoreStatistics) async throws -> UInt64? {
        guard predicate.isOnStoredEvents, let bounds = predicate.bounds else { return nil }
        guard let removed = try await store.removedUntil().latest, bounds.times.lowerBound <= removed else {
            return nil
        }
        // Events are removed by blocks, whose times may overlap, and those of some sources sooner than others: some
        // that are stored may be older than some that are not. Which boots these were of is not known.
        return max(stored.oldestRealtimeMicroseconds ?? 0, removed + 1)
    }

    /// The names in the query that nothing has.
    private func unknown(to report: ReportKind) async throws -> [ReportScope.Unknown] {
        var unknown: [ReportScope.Unknown] = []
        let wanted = predicate.wanted
        for (key, name) in [
            (Predicate.TextKey.sender(.subsystem), "subsystem"), (.sender(.category), "category"), (.event, "event"),
        ] {
            var values = wanted.filter { $0.key == key }
            // Only what is not defined may have a name that no definition has.
            if key != .event || report == .undefined { values = try await store.neverSeen(among: values) }
            if key == .event { values = try undefined(among: values) }
            unknown += values.map { ReportScope.Unknown(parameter: name, value: $0.value) }
        }
        return unknown
    }

    private func undefined(among events: [Predicate.Wanted]) throws -> [Predicate.Wanted] {
        var values = try WantedValues(events)
        for definition in dictionaries.lazy.flatMap(\.categories).flatMap(\.definitions) where !values.isEmpty {
            let event = definition.key.description
            try values.remove { _ in .known(event) }
        }
        return values.rest
    }
}

extension ReportScope.Gaps {
    fileprivate mutating func add(_ gap: Gap) {
        records += 1
        switch (gap.count, gap.certainty) {
        case (let count?, .exact): missing = missing.plus(clamped: count)
        case (let count?, .atMost): atMost = (atMost ?? 0).plus(clamped: count)
        case (nil, _): uncounted = (uncounted ?? 0) + 1
        }
    }
}
