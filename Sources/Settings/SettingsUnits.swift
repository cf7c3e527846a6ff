import Model

/// Sizes in the settings: a whole number with an optional unit, a power of 1024.
enum ByteCount {
    private static let units: [(suffix: String, factor: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    static func parse(_ text: String) -> Int64? {
        for (suffix, factor) in units where text.hasSuffix(suffix) {
            return number(text.dropLast(suffix.count), times: factor)
        }
        return number(text[...], times: 1)
    }

    static func text(_ bytes: Int64) -> String {
        let unit = units.first { bytes >= $0.factor && bytes % $0.factor == 0 } ?? ("B", 1)
        return "\(bytes / unit.factor)\(unit.suffix)"
    }
}

/// Durations in the settings: a whole number with a unit, which is required.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    static func parse(_ text: String) -> Duration? {
        for (suffix, milliseconds) in units where text.hasSuffix(suffix) {
            return number(text.dropLast(suffix.count), times: milliseconds).map { .milliseconds($0) }
        }
        return text == "0" ? .zero : nil
    }

    static func text(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        let unit = units.last { milliseconds >= $0.milliseconds && milliseconds % $0.milliseconds == 0 } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}

/// Percentages in the settings: `20%` or `20 %`.
enum Percentage {
    static func parse(_ text: String) -> Int? {
        guard text.hasSuffix("%") else { return nil }
        let digits = text.dropLast()
        return number(digits.hasSuffix(" ") ? digits.dropLast() : digits, times: 1).map { Int($0) }
    }
}

private func number(_ digits: Substring, times factor: Int64) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit), let value = Int64(digits) else {
        return nil
    }
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
}

extension StartPoint {
    /// How it is written.
    package static let form = "now, oldest or a duration such as 24h"

    package init?(_ text: String) {
        switch text {
        case "now": self = .now
        case "oldest": self = .oldest
        default:
            guard let duration = DurationText.parse(text) else { return nil }
            self = .ago(duration)
        }
    }
}
