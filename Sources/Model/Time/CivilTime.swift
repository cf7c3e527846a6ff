/// A date and a time of day in a time zone.
package struct CivilTime: Equatable, Sendable {
    package var year: Int
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var microsecond: UInt64 = 0

    package init(
        year: Int, month: Int = 1, day: Int = 1, hour: Int = 0, minute: Int = 0, second: Int = 0,
        microsecond: UInt64 = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
    }

    package init(microseconds: UInt64, zone: Zone) {
        let moment = Int64(microseconds / 1_000_000)
        let local = Int(moment + zone.offset(moment))
        // Rounds down: at the beginning of 1970 it may still be 1969.
        let days = (local >= 0 ? local : local - 86_399) / 86_400
        let second = local - days * 86_400
        self.init(CivilDate(daysSince1970: days))
        (hour, minute, self.second) = (second / 3600, second / 60 % 60, second % 60)
        microsecond = microseconds % 1_000_000
    }

    /// Creates the midnight of a day.
    private init(_ date: CivilDate) { self.init(year: date.year, month: date.month, day: date.day) }

    var civilDate: CivilDate { CivilDate(year: year, month: month, day: day) }

    /// Returns microseconds since 1970; `nil` for a date that does not exist, such as 30 February. What is before 1970 is
    /// the beginning of 1970.
    ///
    /// A local time that a clock change skips is moved by the length of the change.
    package func microseconds(in zone: Zone, _ repetition: Repetition = .first) -> UInt64? {
        guard civilDate.exists, (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
            return nil
        }
        let wall = Int64(civilDate.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second)
        let moments = zone.moments(wall)
        let moment = (repetition == .first ? moments.first : moments.last) ?? wall - zone.offset(wall - 86_400)
        guard moment >= 0 else { return 0 }
        return UInt64(moment) * 1_000_000 + microsecond
    }

    /// Which of two moments a local time means that a clock change repeats.
    package enum Repetition: Sendable {
        case first, second
    }

    /// Returns midnight of the day that is `days` later.
    package func midnight(addingDays days: Int) -> CivilTime {
        CivilTime(CivilDate(daysSince1970: civilDate.daysSince1970 + days))
    }

    /// `2026-11-21`
    package var date: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }

    /// `10:00:00.123`
    package func timeOfDay(decimals: Int) -> String {
        let text = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
        return decimals == 0 ? text : text + "." + padded(Int(microsecond), 6).prefix(decimals)
    }

    private func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

extension CivilTime {
    /// `2026-11-21 10:00:00.123`, with the mark of the zone: a form that `--since` accepts.
    package static func text(_ microseconds: UInt64, _ zone: Zone, decimals: Int = 3) -> String {
        let offset = zone.offset(Int64(microseconds / 1_000_000))
        return digits(microseconds, offset, mark: " ", decimals: decimals) + zone.mark(microseconds)
    }
    /// `2026-11-21T10:00:00.123+09:00`: another form that `--since` accepts.
    /// - Source: RFC 3339
    package static func iso(_ microseconds: UInt64, _ zone: Zone, decimals: Int = 3) -> String {
        let offset = zone.offset(Int64(microseconds / 1_000_000))
        return digits(microseconds, offset, mark: "T", decimals: decimals) + Zone.text(offset: offset)
    }

    /// - Parameter offset: what is added to UTC, in seconds.
    private static func digits(_ microseconds: UInt64, _ offset: Int64, mark: Unicode.Scalar, decimals: Int) -> String {
        let local = Int64(clamping: microseconds).addingReportingOverflow(offset * 1_000_000).partialValue
        guard let local = UInt64(exactly: local), local <= UTCText.latest else {
            let time = CivilTime(microseconds: microseconds, zone: .fixed(seconds: offset))
            return "\(time.date)\(mark)\(time.timeOfDay(decimals: decimals))"
        }
        return String(unsafeUninitializedCapacity: UTCText.count) { text in
            UTCText.write(local, mark: UInt8(ascii: mark), to: UnsafeMutableRawBufferPointer(text))
            return decimals == 0 ? UTCText.count - 7 : UTCText.count - 6 + decimals
        }
    }
}
