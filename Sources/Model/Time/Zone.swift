import Glibc
internal import Synchronization

/// A time zone: the offset of local time from UTC at a time in seconds since 1970.
package struct Zone: Sendable {
    /// Returns the seconds that are added to UTC for local time.
    package let offset: @Sendable (_ moment: Int64) -> Int64
    /// Returns what local time is called, such as `CET` in winter and `CEST` in summer; `nil` if it has no name.
    package let name: @Sendable (_ moment: Int64) -> String?
    package let isUTC: Bool
    private let unrepeated = UnrepeatedMinute()

    package init(
        isUTC: Bool = false, name: @escaping @Sendable (_ moment: Int64) -> String? = { _ in nil },
        offset: @escaping @Sendable (_ moment: Int64) -> Int64
    ) {
        self.isUTC = isUTC
        self.name = name
        self.offset = offset
    }

    package static let utc = Zone(isUTC: true) { _ in 0 }

    /// The zone of the process: `TZ`, or else /etc/localtime.
    /// - Source: tzset(3)
    package static let local = Zone(name: { String(cString: localTime($0).tm_zone) }) { Int64(localTime($0).tm_gmtoff) }

    private static func localTime(_ moment: Int64) -> tm {
        var moment = time_t(moment)
        var fields = tm()
        localtime_r(&moment, &fields)
        return fields
    }

    package static func fixed(seconds: Int64) -> Zone {
        Zone { _ in seconds }
    }
}

extension Zone {
    /// Returns the moments at which clocks show a local time, in order: one, two if a change repeats the time, none if a
    /// change skips it.
    /// - Parameter local: seconds from 1970-01-01 00:00:00 of local time.
    func moments(_ local: Int64) -> [Int64] {
        // Offsets are shorter than a day, and no zone changes its clocks twice within two days.
        let (before, after) = (offset(local - 86_400), offset(local + 86_400))
        let candidates = before == after ? [local - before] : [local - before, local - after]
        return candidates.filter { $0 + offset($0) == local }
    }

    /// Returns the first moment with another offset.
    /// - Parameter end: a moment with another offset than that of the start.
    func change(from start: Int64, to end: Int64) -> Int64 {
        var (before, after) = (start, end)
        let offset = offset(start)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if self.offset(middle) == offset { before = middle } else { after = middle }
        }
        return after
    }

    /// Returns what a local time needs behind it to mean one moment: `Z` in UTC, the offset if a clock change repeats the
    /// time (`+02:00`), otherwise nothing.
    /// - Parameter microseconds: the moment, since 1970.
    package func mark(_ microseconds: UInt64) -> String {
        if isUTC { return "Z" }
        return isRepeated(microseconds) ? Self.text(offset: offset(Int64(microseconds / 1_000_000))) : ""
    }

    /// Whether a clock change repeats the local time of a moment.
    package func isRepeated(_ microseconds: UInt64) -> Bool {
        let moment = Int64(microseconds / 1_000_000)
        let minute = moment / 60
        guard unrepeated.number.load(ordering: .relaxed) != minute else { return false }
        if moments(moment + offset(moment)).count > 1 { return true }
        unrepeated.number.store(minute, ordering: .relaxed)
        return false
    }

    /// The last minute in which no time was repeated. Clocks change at full minutes, and hundreds of thousands of times are
    /// written a second.
    private final class UnrepeatedMinute: Sendable {
        let number = Atomic<Int64>(-1)
    }

    /// `+09:00`
    static func text(offset: Int64) -> String {
        let minutes = offset / 60
        let (hour, minute) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        return "\(minutes < 0 ? "-" : "+")\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
