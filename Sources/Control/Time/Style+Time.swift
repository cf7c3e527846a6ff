import API
import Model

extension Style {
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
