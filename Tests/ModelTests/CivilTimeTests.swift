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

    @Test func `only UTC has a mark`() {
        #expect(CivilTime.text(1_795_222_800_123_456, .utc) == "2026-11-21 01:00:00.123Z")
        #expect(CivilTime.text(1_795_222_800_123_456, .utc, decimals: 0) == "2026-11-21 01:00:00Z")
    }
}
