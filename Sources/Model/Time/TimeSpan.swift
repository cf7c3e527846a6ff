/// A time span: `5m`, `1h 30min`, `1.5 days`. A number alone means seconds.
/// - Source: systemd.time(7), "Parsing time spans"
package enum TimeSpan {
    package static let examples = "5m, 90s, 1h30m, 2d"

    /// - Returns: microseconds; `nil` if the text is not a time span, or is longer than 292,000 years.
    package static func microseconds(_ text: some StringProtocol) -> UInt64? {
        var rest = text.drop(while: isSpace)
        guard !rest.isEmpty else { return nil }
        var total = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            rest = rest.dropFirst(digits.count).drop(while: isSpace)
            let unit = rest.prefix { !("0"..."9").contains($0) && !isSpace($0) }
            rest = rest.dropFirst(unit.count).drop(while: isSpace)
            guard let number = Double(digits), let length = length(of: String(unit)) else { return nil }
            total += number * length
        }
        return total < 9.2e18 ? UInt64(total.rounded()) : nil
    }

    /// The length of each unit, in microseconds.
    private static func length(of unit: String) -> Double? {
        switch unit {
        case "us", "usec", "µs", "μs": 1
        case "ms", "msec": 1e3
        case "", "s", "sec", "secs", "second", "seconds": 1e6
        case "m", "min", "mins", "minute", "minutes": 60e6
        case "h", "hr", "hour", "hours": 3_600e6
        case "d", "day", "days": 86_400e6
        case "w", "week", "weeks": 7 * 86_400e6
        case "M", "month", "months": 30.44 * 86_400e6
        case "y", "year", "years": 365.25 * 86_400e6
        default: nil
        }
    }

    private static func isSpace(_ character: Character) -> Bool { character == " " }
}
