import API
import Model

/// The appearance of text: all properties of the terminal and the reader that rendering depends on.
struct Style: Sendable {
    /// The columns of the terminal; `nil` if there is none, and then nothing is cut or shortened.
    var width: Int?
    /// Whether lines end at that width.
    var isCut: Bool = true
    var isColoured: Bool = false
    /// Whether links are written for terminals that open them; otherwise the URL follows the name.
    var hasLinks: Bool = false
    var zone: Zone = .utc
    /// Whether times of events have the date and the offset, as in ISO 8601.
    var hasISOTimes = false
    /// The current time, in microseconds since 1970. Times of the current year may omit the year.
    var now: UInt64 = 0
    /// Whether the common parameters of events are shown, too.
    var showsCommon: Bool = false
    /// Whether the time since the previous event is shown, too.
    var showsDelta = false
    /// Whether events that are highlighted have a mark.
    var showsHighlight = false
}

extension Style {
    /// The same style for text that is already broken into lines.
    var uncut: Style {
        var style = self
        style.isCut = false
        return style
    }

    /// Returns a time to the minute: `2026-11-21 10:00`, with the mark of the zone. On a terminal it is shorter: `11-21 10:00`
    /// for the current year and `2025-11-21` for others.
    func short(_ time: WireTime) -> String {
        let civil = CivilTime(microseconds: time.microseconds, zone: zone)
        let minute = "\(civil.timeOfDay(decimals: 0).dropLast(3))\(zone.mark(time.microseconds))"
        guard width != nil else { return "\(civil.date) \(minute)" }
        let isThisYear = civil.year == CivilTime(microseconds: now, zone: zone).year
        return isThisYear ? "\(civil.date.dropFirst(5)) \(minute)" : civil.date
    }
}
