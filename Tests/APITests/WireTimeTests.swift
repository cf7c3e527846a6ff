import Foundation
import TestSupport
import Testing

@testable import API

struct WireTimeTests {
    @Test(arguments: [1, 2] as [UInt64]) func `times are written as Foundation writes them`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let utc = Date.ISO8601FormatStyle(includingFractionalSeconds: false, timeZone: .gmt)
        for _ in 0..<10_000 {
            let seconds = UInt64.random(in: 0..<253_402_300_800, using: &generator)
            let fraction = UInt64.random(in: 0..<1_000_000, using: &generator)
            let expected = utc.format(Date(timeIntervalSince1970: Double(seconds)))
            let written = WireTime(microseconds: seconds * 1_000_000 + fraction).description
            #expect(written.prefix(19) + "Z" == expected)
            #expect(written.suffix(8).dropLast() == ".\(String(1_000_000 + fraction).dropFirst())")
        }
    }

    @Test(arguments: [1, 2] as [UInt64]) func `what is written is read back`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10_000 {
            let time = WireTime(microseconds: .random(in: 0...WireTime.latest.microseconds, using: &generator))
            #expect(WireTime(time.description) == time)
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59.5Z", 951_868_799_500_000),
        ("2026-11-21t01:00:00z", 1_795_222_800_000_000), ("2026-11-21 01:00:00Z", 1_795_222_800_000_000),
        ("2026-11-21T02:30:00+01:30", 1_795_222_800_000_000), ("2026-11-20T20:00:00-05:00", 1_795_222_800_000_000),
        ("1969-12-31T23:59:00-00:01", 0), ("2026-11-21T01:00:00.000000000000000000001Z", 1_795_222_800_000_000),
        ("2026-11-21T01:00:00.1234569Z", 1_795_222_800_123_456), ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
    ])
    func `RFC 3339 is read in all its forms`(text: String, microseconds: UInt64) {
        #expect(WireTime(text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "now", "2026-11-21", "2026-11-21T01:00:00", "2026-11-21T01:00Z", "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T01:60:00Z",
        "2026-11-21T01:00:61Z", "2026-11-21T01:00:00.Z", "2026-11-21T01:00:00+1:00", "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+00:01", "2026-11-21T01:00:00.12345678x9Z", "2026-11-21T01:00:00Zx", "２026-11-21T01:00:00Z",
    ])
    func `what is no time is refused`(text: String) {
        #expect(WireTime(text) == nil)
    }

    @Test func `a time beyond the year 9999 is written as the last one there is`() {
        #expect(WireTime(microseconds: .max).description == "9999-12-31T23:59:59.999999Z")
    }
}
