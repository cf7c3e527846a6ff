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
    /// Clocks that go forward and back at a full hour or within one: Berlin, Lord Howe Island, Caracas in 2016, Newfoundland in
    /// 2010. Then the hours around the change, as they begin on the clock, and their lengths in minutes.
    @Test(
        arguments: [
            ("2026-03-29T01:00Z", 3600, 7200, ["00:00", "01:00", "03:00", "04:00"], [60, 60, 60, 60]),
            ("2026-10-25T01:00Z", 7200, 3600, ["01:00", "02:00", "02:00", "03:00"], [60, 60, 60, 60]),
            ("2026-10-03T15:30Z", 37_800, 39_600, ["00:00", "01:00", "02:30", "03:00"], [60, 60, 30, 60]),
            ("2026-04-04T15:00Z", 39_600, 37_800, ["00:00", "01:00", "01:30", "02:00"], [60, 60, 30, 60]),
            ("2016-05-01T07:00Z", -16_200, -14_400, ["01:00", "02:00", "03:00", "04:00"], [60, 30, 60, 60]),
            ("2010-11-07T02:31Z", -9000, -12_600, ["23:00", "00:00", "23:01", "00:00"], [60, 1, 59, 60]),
        ] as [(String, Int64, Int64, [String], [UInt64])])
    func `hours around a clock change do not overlap`(
        change: String, before: Int64, after: Int64, starts: [String], minutes: [UInt64]
    ) throws {
        let moment = try #require(TimeExpression(now: 0, zone: .utc).microseconds(change))
        let zone = Zone { $0 < Int64(moment / 1_000_000) ? before : after }
        let last = TimeUnit.hour.span(of: moment - 1, in: zone)
        let first = TimeUnit.hour.span(of: moment, in: zone)
        #expect(last.upperBound == moment && first.lowerBound == moment)
        let spans = [
            TimeUnit.hour.span(of: last.lowerBound - 1, in: zone), last, first,
            TimeUnit.hour.span(of: first.upperBound, in: zone),
        ]
        #expect(spans[0].upperBound == last.lowerBound && spans[3].lowerBound == first.upperBound)
        let clock = spans.map { CivilTime(microseconds: $0.lowerBound, zone: zone).timeOfDay(decimals: 0).dropLast(3) }
        #expect(clock.map(String.init) == starts)
        #expect(spans.map { ($0.upperBound - $0.lowerBound) / 60_000_000 } == minutes)
        for span in spans { #expect(TimeUnit.hour.span(of: span.upperBound - 1, in: zone) == span) }
        let minute = TimeUnit.minute.span(of: moment, in: zone)
        #expect(minute == moment..<moment + 60_000_000)
    }
}
