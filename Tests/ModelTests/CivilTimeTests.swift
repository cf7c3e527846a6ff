import Model
import Testing

struct CivilTimeTests {
    private static let times: [UInt64] = [
        0, 1, 999_999, 18_000_000_000, 951_782_399_999_999, 951_782_400_000_000, 1_795_222_800_123_456,
        UTCText.latest, UTCText.latest + 1, .max,
    ]

    @Test(arguments: times, [0, 32_400, -18_000, 20_700, -12_600] as [Int64])
    func `a time is written like its parts`(time: UInt64, offset: Int64) {
        let zone = Zone.fixed(seconds: offset)
        let parts = CivilTime(microseconds: time, zone: zone)
        for decimals in [0, 3, 6] {
            let text = CivilTime.text(time, zone, decimals: decimals)
            #expect(text == "\(parts.date) \(parts.timeOfDay(decimals: decimals))")
            let iso = CivilTime.iso(time, zone, decimals: decimals)
            #expect(iso.hasPrefix("\(parts.date)T\(parts.timeOfDay(decimals: decimals))"))
            let end = [0: "+00:00", 32_400: "+09:00", -18_000: "-05:00", 20_700: "+05:45", -12_600: "-03:30"][offset]
            #expect(end.map { iso.hasSuffix($0) } == true)
        }
    }

    @Test func `a date may be before 1970, and must exist`() {
        let west = CivilTime(microseconds: 1, zone: .fixed(seconds: -18_000))
        #expect(west == CivilTime(year: 1969, month: 12, day: 31, hour: 19, microsecond: 1))
        #expect(west.midnight(addingDays: -365) == CivilTime(year: 1968, month: 12, day: 31))
        #expect(west.midnight(addingDays: 60) == CivilTime(year: 1970, month: 3, day: 1))
        #expect(CivilTime(year: 2100, month: 2, day: 28).microseconds(in: .utc) == 4_107_456_000_000_000)
        for wrong in [
            CivilTime(year: 2100, month: 2, day: 29), CivilTime(year: 2026, month: 13),
            CivilTime(year: 2026, hour: 24), CivilTime(year: 2026, minute: 60), CivilTime(year: 2026, second: -1),
        ] {
            #expect(wrong.microseconds(in: .utc) == nil)
        }
    }

    /// Clocks that go forward at midnight, or back, west and east of Greenwich.
    @Test(arguments: [(-5, -4), (-4, -3), (2, 3), (9, 10)] as [(Int64, Int64)])
    func `a time that a change skips is that after the change`(winter: Int64, summer: Int64) throws {
        let midnight = CivilTime(year: 2026, month: 3, day: 8)
        let wall = try #require(midnight.microseconds(in: .utc)) / 1_000_000
        let change = Int64(wall) - winter * 3600
        let zone = Zone { ($0 < change ? winter : summer) * 3600 }
        #expect(midnight.microseconds(in: zone) == UInt64(change) * 1_000_000)
        #expect(CivilTime(microseconds: UInt64(change) * 1_000_000, zone: zone).hour == 1)
        for hour in [1, 3, 12, 23] {
            let time = CivilTime(year: 2026, month: 3, day: 8, hour: hour)
            let moment = try #require(time.microseconds(in: zone))
            #expect(CivilTime(microseconds: moment, zone: zone) == time)
            let before = CivilTime(year: 2026, month: 3, day: 7, hour: hour)
            let earlier = try #require(before.microseconds(in: zone))
            #expect(CivilTime(microseconds: earlier, zone: zone) == before)
        }
        let back = Zone { ($0 < change ? summer : winter) * 3600 }
        for hour in [0, 1, 12, 23] {
            let time = CivilTime(year: 2026, month: 3, day: 7, hour: hour)
            let moment = try #require(time.microseconds(in: back))
            #expect(CivilTime(microseconds: moment, zone: back) == time)
        }
    }

    @Test func `only UTC has a mark`() {
        #expect(CivilTime.text(1_795_222_800_123_456, .utc) == "2026-11-21 01:00:00.123Z")
        #expect(CivilTime.text(1_795_222_800_123_456, .utc, decimals: 0) == "2026-11-21 01:00:00Z")
    }

    /// Clocks that go back from 02:00, on 2026-10-25 in Berlin, by an hour, and on 2026-04-05 on Lord Howe Island, by half an hour.
    @Test(
        arguments: [
            (1_792_890_000, 7200, 3600, ["02:59:59+02:00", "02:00:00+01:00"], [3601, 3600]),
            (1_775_314_800, 39_600, 37_800, ["01:59:59+11:00", "01:30:00+10:30"], [1801, 1800]),
        ] as [(Int64, Int64, Int64, [String], [Int64])])
    func `a repeated time has its offset`(
        change: Int64, before: Int64, after: Int64, texts: [String], distances: [Int64]
    ) {
        let zone = Zone { $0 < change ? before : after }
        func text(_ moment: Int64) -> String {
            String(CivilTime.text(UInt64(moment) * 1_000_000, zone, decimals: 0).dropFirst(11))
        }
        #expect([text(change - 1), text(change)] == texts)
        // Just before the first time that is repeated, and just after the last.
        #expect(text(change - distances[0]).count == 8)
        #expect(text(change - distances[1]).count == 14)
        #expect(text(change + distances[1] - 1).count == 14)
        #expect(text(change + distances[1]).count == 8)
    }
}
