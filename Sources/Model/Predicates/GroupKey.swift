/// What events are grouped by.
package enum GroupKey: Sendable, Hashable {
    /// The most keys that events are grouped by.
    package static let most = 4

    case text(Predicate.TextKey)
    case level(Predicate.NumberKey)
    case pid
    /// The part of time in which an event was sent.
    case time(TimeUnit)
    /// A value in the payload, as the text of a string or the JSON text of another value.
    case parameter(Predicate.ParameterPath)
}

/// A part of time, by the clock of a zone.
package enum TimeUnit: String, Sendable, Codable, CaseIterable {
    case minute, hour, day, week, month

    /// Returns the part that a time is in, in microseconds since 1970.
    package func span(of time: UInt64, in zone: Zone) -> Range<UInt64> {
        func midnight(addingDays days: Int) -> CivilTime {
            CivilTime(microseconds: time, zone: zone).midnight(addingDays: days)
        }
        switch self {
        case .minute: return Self.span(of: time, seconds: 60, zone)
        case .hour: return Self.span(of: time, seconds: 3600, zone)
        case .day: return Self.span(from: midnight(addingDays: 0), to: midnight(addingDays: 1), zone)
        case .week:
            // 1970 began on a Thursday; weeks begin on Mondays.
            let weekday = (midnight(addingDays: 0).civilDate.daysSince1970 + 3) % 7
            return Self.span(from: midnight(addingDays: -weekday), to: midnight(addingDays: 7 - weekday), zone)
        case .month:
            let civil = CivilTime(microseconds: time, zone: zone)
            let next = civil.month == 12 ? (civil.year + 1, 1) : (civil.year, civil.month + 1)
            return Self.span(
                from: CivilTime(year: civil.year, month: civil.month), to: CivilTime(year: next.0, month: next.1), zone)
        }
    }

    /// Returns a full minute or hour of the clock, or what a change leaves of it.
    private static func span(of time: UInt64, seconds: Int64, _ zone: Zone) -> Range<UInt64> {
        let moment = Int64(time / 1_000_000)
        let offset = zone.offset(moment)
        let past = (moment + offset) % seconds
        var start = moment - (past < 0 ? past + seconds : past)
        var end = start + seconds
        if zone.offset(start) != offset { start = zone.change(from: start, to: moment) }
        if zone.offset(end - 1) != offset { end = zone.change(from: moment, to: end - 1) }
        return UInt64(max(0, start)) * 1_000_000..<UInt64(end) * 1_000_000
    }

    private static func span(from start: CivilTime, to end: CivilTime, _ zone: Zone) -> Range<UInt64> {
        let first = start.microseconds(in: zone) ?? 0
        return first..<max(first + 1, end.microseconds(in: zone) ?? .max)
    }
}
