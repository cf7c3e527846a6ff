import TestSupport

/// Texts that are dates and times, and texts that nearly are.
struct TimeSamples {
    private let years = [
        "0000", "0001", "1900", "2000", "2024", "2026", "2100", "02024", "00000", "294276", "294277", "0294276",
        "5874897", "5874898", "9999999", "0000004", "58748970", "26", "999",
    ]
    private let days = [
        "-1-1", "-01-31", "-02-28", "-2-29", "-02-30", "-04-30", "-04-31", "-12-31", "-12-32", "-13-01", "-00-10",
        "-1-0",
        "-001-1", "0131", "0229", "0230", "1131", "1301", "",
    ]
    private let times = [
        "", "T00:00", "t23:59:60", " 24:00:00", "T24:00:00.5", "T24:01", "T24:00:01", "T0102", "T010203.5", "T2400",
        "T01023",
        "T01:02:03.", "T01:02:03.123456789", "T25:00", "T01:60", "T1:02", "T01:02:61", "  01:02", "T01", "T01:02:3",
        "T",
    ]
    private let offsets = [
        "", "Z", "z", " Z", "+09", "-09:30", "+0930", " +09:30:15", "+093015", "+16", "+9", "+15:60", " UTC", "UTC",
        " utc",
        "+09:3", " ", "Zx", "\\n",
    ]

    var all: [String] {
        var generator = SeededGenerator(seed: 7)
        var texts: Set<String> = []
        for year in years {
            for day in days { texts.insert(year + day) }
        }
        for time in times {
            for offset in offsets { texts.insert("2026-11-21\(time)\(offset)") }
        }
        for _ in 0..<2000 {
            let parts = [years, days, times, offsets].map { $0.randomElement(using: &generator) ?? "" }
            texts.insert(parts.joined())
        }
        return texts.sorted()
    }
}
