import Forward
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06T08:49:00Z
    private let now: UInt64 = 784_111_740_000_000

    @Test(arguments: [("0", 0), ("2", 2), (" 120\t", 120), ("3600", 3600)])
    func `seconds are honoured`(text: String, seconds: Int64) {
        #expect(RetryAfter.parse(text, now: now) == .seconds(seconds))
    }

    @Test(arguments: [
        "3601", "1000000000", "9223372036854775807", "99999999999999999999999999", "Sun, 06 Nov 2094 08:49:37 GMT",
    ])
    func `more than an hour is an hour`(text: String) {
        #expect(RetryAfter.parse(text, now: now) == .seconds(3600))
    }

    @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func `each form of HTTP date is honoured`(text: String) {
        #expect(RetryAfter.parse(text, now: now) == .seconds(37))
    }

    @Test func `a date that has passed asks for no wait`() {
        #expect(RetryAfter.parse("Sat, 05 Nov 1994 08:49:37 GMT", now: now) == .zero)
    }

    @Test(
        arguments: [
            "", " ", "-5", "+5", "1.5", "1e3", "soon", "0x10", "٣", "5 seconds", "Sun, 06 Nov 1994",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            ", , , ,", String(repeating: "9", count: 65),
        ])
    func `garbage is ignored`(text: String) {
        #expect(RetryAfter.parse(text, now: now) == nil)
    }
}
