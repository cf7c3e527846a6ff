import Glibc

/// A time zone: the offset of local time from UTC at a time in seconds since 1970.
package struct Zone: Sendable {
    /// Returns the seconds that are added to UTC for local time.
    package let offset: @Sendable (_ moment: Int64) -> Int64
    package let isUTC: Bool

    package init(isUTC: Bool = false, offset: @escaping @Sendable (_ moment: Int64) -> Int64) {
        self.isUTC = isUTC
        self.offset = offset
    }

    package static let utc = Zone(isUTC: true) { _ in 0 }

    /// The zone of the process: `TZ`, or else /etc/localtime.
    /// - Source: tzset(3)
    package static let local = Zone { moment in
        var moment = time_t(moment)
        var fields = tm()
        localtime_r(&moment, &fields)
        return Int64(fields.tm_gmtoff)
    }

    package static func fixed(seconds: Int64) -> Zone {
        Zone { _ in seconds }
    }
}
