import Model
import Testing

struct TimeUnitTests {
    /// Sunday 2026-03-29, when clocks in Berlin went from 02:00 to 03:00.
    private static let berlin = Zone { $0 < 1_774_746_000 ? 3600 : 7200 }

    @Test(
        arguments: [
            ("2026-03-29T10:15:42Z", TimeUnit.minute, "2026-03-29 12:15:00", 60),
            ("2026-03-29T10:15:42Z", .hour, "2026-03-29 12:00:00", 3600),
            ("2026-03-29T10:15:42Z", .day, "2026-03-29 00:00:00", 82_800),
            ("2026-03-28T23:00:00Z", .day, "2026-03-29 00:00:00", 82_800),
            ("2026-03-28T22:59:59Z", .day, "2026-03-28 00:00:00", 86_400),
            ("2026-03-29T10:15:42Z", .week, "2026-03-23 00:00:00", 601_200),
            ("2026-03-23T00:00:00+01:00", .week, "2026-03-23 00:00:00", 601_200),
            ("2026-03-29T10:15:42Z", .month, "2026-03-01 00:00:00", 2_674_800),
            ("2026-12-31T23:30:00Z", .month, "2027-01-01 00:00:00", 2_678_400),
        ] as [(String, TimeUnit, String, UInt64)])
    func `parts of time go by the clock`(time: String, unit: TimeUnit, start: String, seconds: UInt64) throws {
        let times = TimeExpression(now: 0, zone: Self.berlin)
        let moment = try #require(times.microseconds(time))
        let span = unit.span(of: moment, in: Self.berlin)
        #expect(span.contains(moment))
        #expect(CivilTime.text(span.lowerBound, Self.berlin, decimals: 0) == start)
        #expect(span.upperBound - span.lowerBound == seconds * 1_000_000)
        #expect(unit.span(of: span.upperBound - 1, in: Self.berlin) == span)
    }
}
