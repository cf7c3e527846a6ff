import API
import Hummingbird
import Model
import Predicates
import Queries
import Store

extension ControlAPI {
    /// `GET /v1/stats`
    func stats(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try StatsQuery(urlQuery: request.uri.query)
        let predicate = try await predicate(query.filter, from: context)
        let names = PredicateBinder.Names(await daemon.dictionaries().map(\.dictionary))
        let keys = try query.keys.map { try key($0, "by", names) }
        let groups = GroupQuery(
            // Of events that have a value, fewer have to be read.
            query.hasNone ? predicate : keys.reduce(predicate) { $0.and($1.existence) }, by: keys, limit: query.top,
            measure: try query.measure.map { text in
                try bound("of") { () throws(PredicateError) in try PredicateBinder.parameter(text, names) }
            }, distinct: try query.distinct.map { try key($0, "distinct", names) }, trend: query.trend,
            hasNone: query.hasNone)
        try Self.check(groups)
        let zone: Zone = query.zone == .utc ? .utc : .local
        return try await documents.response(context, .groups) {
            let sums = try await store.groups(groups, zone: zone)
            return try APICoding.encode(StatsReply(sums, of: groups, query, zone, now: now()))
        }
    }

    private static func check(_ groups: GroupQuery) throws(QueryError) {
        let keys = groups.keys + [groups.distinct].compactMap(\.self)
        guard Set(groups.keys).count == groups.keys.count else {
            throw QueryError(parameter: "by", description: "has a key twice", isUnprocessable: true)
        }
        if let fault = PredicateBinder.fault(of: keys) {
            throw QueryError(parameter: "by", description: "is not understood: \(fault)", isUnprocessable: true)
        }
    }

    private func key(_ text: String, _ parameter: String, _ names: PredicateBinder.Names) throws -> GroupKey {
        try bound(parameter) { () throws(PredicateError) in try PredicateBinder.groupKey(text, names) }
    }

    private func bound<Value>(
        _ parameter: String, _ bind: () throws(PredicateError) -> Value
    ) throws(QueryError) -> Value {
        do throws(PredicateError) {
            return try bind()
        } catch {
            throw QueryError(
                parameter: parameter, description: "is not understood: \(error.reason)", isUnprocessable: true)
        }
    }
}

extension GroupKey {
    /// What is true of all events that have a value.
    fileprivate var existence: Predicate {
        switch self {
        case .text(let key): .text(key, .exists)
        case .level(let key): .number(key, 0...Int64.max)
        case .pid: .number(.pid, 0...Int64.max)
        // Every event has a part of time.
        case .time: .everything
        case .parameter(let path): .parameter(path, .exists)
        }
    }
}

extension StatsReply {
    fileprivate init(_ sums: GroupSums, of groups: GroupQuery, _ query: StatsQuery, _ zone: Zone, now: UInt64) {
        let range = RateRange(sums.times ?? 0...0, of: groups.predicate, now: now)
        self.init(
            by: query.keys, events: sums.events, groups: sums.groups,
            rows: sums.rows.map { StatsRow($0, groups.keys, query, zone, range) })
        uncertainty = sums.uncertainty > 0 ? sums.uncertainty : nil
        (firstTime, lastTime) = (
            sums.times.map { Self.time($0.lowerBound) }, sums.times.map { Self.time($0.upperBound) }
        )
        trendFrom = sums.trendTimes.map { Self.time($0.lowerBound) }
        trendTo = sums.trendTimes.map { Self.time($0.upperBound) }
    }

    /// What rates are about, in microseconds since 1970.
    fileprivate struct RateRange {
        /// The times that are asked for up to now, or else those from the first event to the last.
        let times: Range<UInt64>
        /// What parts of time are cut to.
        let limit: Range<UInt64>

        init(_ found: ClosedRange<Int64>, of predicate: Predicate, now: UInt64) {
            let wanted = predicate.bounds?.times ?? 0 ... .max
            let isOpen = wanted == 0 ... .max
            let last = isOpen ? UInt64(max(0, found.upperBound)) : min(wanted.upperBound, now)
            let first = wanted.lowerBound > 0 ? wanted.lowerBound : UInt64(max(0, found.lowerBound))
            times = first..<max(first, last)
            limit = wanted.lowerBound..<max(wanted.lowerBound, isOpen ? max(last, now) : last)
        }
    }

    fileprivate static func time(_ microseconds: Int64) -> WireTime {
        WireTime(microseconds: UInt64(max(0, microseconds)))
    }
}

extension StatsRow {
    fileprivate init(
        _ row: GroupRow, _ keys: [GroupKey], _ query: StatsQuery, _ zone: Zone, _ range: StatsReply.RateRange
    ) {
        self.init(
            values: zip(zip(keys, query.keys), row.values).map { key, value in
                guard case .time = key.0 else { return KeyValue(key: key.1, value: value) }
                // By the clock that it was made by, which need not be that of the client.
                let start = value.flatMap { UInt64($0) }.map { CivilTime.iso($0, zone, decimals: 0) }
                return KeyValue(key: key.1, value: start)
            }, count: row.count, firstSeen: StatsReply.time(row.times.lowerBound),
            lastSeen: StatsReply.time(row.times.upperBound))
        let parts = zip(keys, row.values).compactMap { key, value in
            if case .time(let unit) = key, let start = value.flatMap({ UInt64($0) }) {
                unit.span(of: start, in: zone)
            } else {
                nil
            }
        }
        let part = parts.isEmpty ? range.times : parts.reduce(range.limit) { $0.clamped(to: $1) }
        perSecond = part.isEmpty ? nil : Double(count) / (Double(part.upperBound - part.lowerBound) / 1e6)
        trend = row.trend.isEmpty ? nil : row.trend
        distinct = row.distinct
        numbers = row.measure.map { Numbers($0, histogram: query.histogram) }
    }
}

extension StatsRow.Numbers {
    fileprivate init(_ summary: NumberSummary, histogram most: Int) {
        // JSON has no infinity, which a sum may be.
        self.init(count: summary.count, sum: summary.sum.isFinite ? summary.sum : nil)
        guard summary.count > 0 else { return }
        (min, max) = (summary.least, summary.largest)
        average = summary.average.flatMap { $0.isFinite ? $0 : nil }
        (p50, p90) = (summary.percentile(0.5), summary.percentile(0.9))
        (p95, p99) = (summary.percentile(0.95), summary.percentile(0.99))
        let ranges = summary.histogram(atMost: most)
        histogram = ranges.isEmpty ? nil : ranges.map { Range(from: $0.from, to: $0.to, count: $0.count) }
    }
}
