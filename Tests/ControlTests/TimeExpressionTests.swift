import Model
import API
import Foundation
import Testing

@testable import Control

@Suite struct TimeExpressionTests {
    /// Japan: nine hours ahead, no clock changes. It is 2026-11-21 00:00:10 there.
    private let tokyo = TimeExpression(now: Run.now, zone: .fixed(seconds: 9 * 3600))

    @Test(arguments: [
        ("now", "2026-11-21 00:00:10.000000"),
        ("today", "2026-11-21 00:00:00.000000"),
        ("yesterday", "2026-11-20 00:00:00.000000"),
        ("tomorrow", "2026-11-22 00:00:00.000000"),
        ("2026-11-21 10:00:00", "2026-11-21 10:00:00.000000"),
        ("2026-11-21 10:00", "2026-11-21 10:00:00.000000"),
        ("2026-11-21 10:00:00.5", "2026-11-21 10:00:00.500000"),
        ("2026-11-21 10:00:00.123456789", "2026-11-21 10:00:00.123456"),
        ("2026-02-28", "2026-02-28 00:00:00.000000"),
        ("2028-02-29", "2028-02-29 00:00:00.000000"),
        ("10:30", "2026-11-21 10:30:00.000000"),
        ("10:30:05", "2026-11-21 10:30:05.000000"),
        ("-5m", "2026-11-20 23:55:10.000000"),
        ("+1h30m", "2026-11-21 01:30:10.000000"),
        ("5 min ago", "2026-11-20 23:55:10.000000"),
        ("2 hours ago", "2026-11-20 22:00:10.000000"),
        ("1d left", "2026-11-22 00:00:10.000000"),
        ("-90", "2026-11-20 23:58:40.000000"),
        ("@0", "1970-01-01 09:00:00.000000"),
        ("@1795186810.25", "2026-11-21 00:00:10.250000"),
        ("2026-11-20T15:00:00Z", "2026-11-21 00:00:00.000000"),
        ("2026-11-20T15:00:00.123Z", "2026-11-21 00:00:00.123000"),
        ("2026-11-20 15:00:00.123Z", "2026-11-21 00:00:00.123000"),
        ("2026-11-20T10:00:00-05:00", "2026-11-21 00:00:00.000000"),
        ("2026-11-20T10:00:00 -0500", "2026-11-21 00:00:00.000000"),
        ("2026-11-20 15:00 UTC", "2026-11-21 00:00:00.000000"),
        ("2026-11-20 UTC", "2026-11-20 09:00:00.000000"),
        ("2026-11-20T15:00:00", "2026-11-20 15:00:00.000000"),
        ("11-20 15:00", "2026-11-20 15:00:00.000000"),
        ("11-20 15:00Z", "2026-11-21 00:00:00.000000"),
        ("02-28", "2026-02-28 00:00:00.000000"),
        ("14:59:59.999Z", "2026-11-20 23:59:59.999000"),
        ("2026-11-20T15:00", "2026-11-20 15:00:00.000000"),
        ("2026-11-20T15:00Z", "2026-11-21 00:00:00.000000"),
        ("2026-11-20T10:00-05", "2026-11-21 00:00:00.000000"),
        ("2026/11/20", "2026-11-20 00:00:00.000000"),
        ("2026/11/20 15:00", "2026-11-20 15:00:00.000000"),
        ("2026/11/20T15:00:00+09:00", "2026-11-20 15:00:00.000000"),
        ("Fri 2026-11-20 15:00:00", "2026-11-20 15:00:00.000000"),
        ("friday 2026/11/20", "2026-11-20 00:00:00.000000"),
        ("Fri 2026-11-20 15:00:00 UTC", "2026-11-21 00:00:00.000000"),
    ])
    func `a time means what journalctl takes it for`(text: String, local: String) throws {
        let time = try #require(tokyo.microseconds(text))
        #expect(CivilTime.text(time, tokyo.zone, decimals: 6) == local)
    }

    @Test(arguments: [
        "", " ", "soon", "5m", "2026-13-01", "2026-02-30", "02-29", "13-01", "1-2", "11-20-", "11-2000", "2026-02-29",
        "24:00", "10:60", "10:00:61", "10", "26-11-21",
        "2026-11-21 10", "2026-11-21 10:00:00 Mars", "@", "@x", "@-5", "@99999999999999999999", "-", "-5 parsecs",
        "ago", " ago", "2026-11-21T", "2026-11-21 10:00:00.", "+2026-11-21", "1969-12-32", "10:00:00+99:00",
        "2026-11-21 10:00:00.123456789012345678xyz", "10:00:00.123456x", "@1.123456789012345678x",
        "٢٠٢٦-11-21",
        "2026-11-21 10:00:00:00", "--5m", "2026/11-21", "2026/02/30", "/11/21", "Sat 2026-11-20", "Thu 1969-12-31",
        "Fri",
        "Fri 10:00", "10:00 CET", "2026-11-20T10:00-5", "9999999999999999999 years ago",
    ])
    func `what is not a time is refused`(text: String) {
        #expect(TimeExpression(now: Run.now, zone: .utc).microseconds(text) == nil)
    }

    @Test(arguments: [nil, 80])
    func `times are taken as they are shown`(width: Int?) {
        // The last two are a repeated time.
        let moments = [Run.now, 1_792_888_230_000_000, 1_792_891_830_000_000]
        for zone in [Zone.utc, .fixed(seconds: 9 * 3600), berlin] {
            let times = TimeExpression(now: Run.now, zone: zone)
            let style = Style(width: width, zone: zone, now: Run.now)
            for time in moments {
                let minute = time - time % 60_000_000
                for repetition in [CivilTime.Repetition.first, .second] {
                    #expect(times.microseconds(style.short(WireTime(microseconds: time)), repetition) == minute)
                    #expect(times.microseconds(CivilTime.text(time, zone), repetition) == time)
                    #expect(times.microseconds(CivilTime.text(time, zone, decimals: 0), repetition) == time)
                }
            }
        }
    }

    @Test(arguments: [
        "100 years ago", "1970-01-01", "1970-01-01 08:59:59.5", "1969-12-31", "Wed 1969-12-31", "0001-01-01",
    ])
    func `a time before 1970 is the beginning of 1970`(text: String) {
        #expect(tokyo.microseconds(text) == 0)
    }

    @Test(
        arguments: [
            ("5m", 300.0), ("90", 90), ("90s", 90), ("1h30m", 5400), ("1h 30min", 5400), ("1.5h", 5400),
            ("2 days", 172_800),
            ("1w", 604_800), ("100ms", 0.1), ("1M", 30.44 * 86_400), ("1y", 365.25 * 86_400),
            ("5m5", 305), ("3µs", 3e-6), (" 2.5 seconds ", 2.5), ("0.000001s", 1e-6), (".5m", 30),
            ("1234567890123456789us", 1_234_567_890_123.456_789),
        ] as [(String, Double)])
    func `a length of time has units`(text: String, seconds: Double) {
        #expect(TimeSpan.microseconds(text) == UInt64((seconds * 1e6).rounded()))
    }

    @Test(arguments: [
        "", "m", "5x", "-5m", "1e3s", "1..5s", "5 M m", "99999999999999999999y", "5\0s", "5 S", "5\u{660}s", ".s",
    ])
    func `what is not a length of time is refused`(text: String) {
        #expect(TimeSpan.microseconds(text) == nil)
    }

    @Test(arguments: [
        (["show", "--last", "3"], "--last 3: 3 what? write 3s, 3m or 3h; show -n 3 shows the last 3 events"),
        (["stats", "--last", "1.5"], "--last 1.5: 1.5 what? write 1.5s, 1.5m or 1.5h"),
        (["show", "--last", "1h 30"], "--last 1h 30: 1h 30 what? write 1h 30s, 1h 30m or 1h 30h"),
        (["top", "--window", "5"], "--window 5: 5 what? write 5s, 5m or 5h"),
        (["alerts", "silence", "errors", "2"], "silence 2: 2 what? write 2s, 2m or 2h"),
        (["report", "--fail-on", "unseen", "--timeout", "60"], "--timeout 60: 60 what? write 60s, 60m or 60h"),
        (["show", "--since", "7"], "--since 7: 7 what? write -7s, -7m or -7h"),
        (["alerts", "try", "errors", "--since", "7"], "--since 7: 7 what? write -7s, -7m or -7h"),
    ])
    func `a number alone is not taken for seconds in options`(arguments: [String], problem: String) async {
        let run = await Run.glossctl(arguments)
        #expect(run.status == .wrongUsage && run.errors == "glossctl: \(problem)\n", "\(run.errors)")
    }

    /// Central Europe in 2026: summer time ends on 25 October at 01:00 UTC.
    private let berlin = Zone(name: { $0 < 1_792_890_000 ? "CEST" : "CET" }) { $0 < 1_792_890_000 ? 7_200 : 3_600 }

    @Test(arguments: [
        ("2026-10-25 01:59:59", 1_792_886_399), ("2026-10-25 03:00:00", 1_792_893_600),
        ("2026-10-26 00:00", 1_792_969_200),
    ])
    func `the clock change moves local times`(text: String, seconds: UInt64) {
        #expect(TimeExpression(now: Run.now, zone: berlin).microseconds(text) == seconds * 1_000_000)
    }

    @Test(arguments: [
        ("2026-10-25 02:30:00", 1_792_888_200, 1_792_891_800),
        ("2026-10-25 02:30+02:00", 1_792_888_200, 1_792_888_200),
        ("2026-10-25 02:30+01:00", 1_792_891_800, 1_792_891_800),
        ("Sun 2026-10-25 02:30:00 CEST", 1_792_888_200, 1_792_888_200),
        ("Sun 2026-10-25 02:30:00 CET", 1_792_891_800, 1_792_891_800),
        ("2026-10-25 CEST", 1_792_879_200, 1_792_879_200),
        ("Sun 2026-10-25 02:00:00", 1_792_886_400, 1_792_890_000),
        ("2026-10-25 01:59:59", 1_792_886_399, 1_792_886_399), ("2026-10-25 03:00", 1_792_893_600, 1_792_893_600),
    ])
    func `a local time that the clock change repeats is the first or the second`(
        text: String, first: UInt64, second: UInt64
    ) {
        let times = TimeExpression(now: Run.now, zone: berlin)
        #expect(times.microseconds(text, .first) == first * 1_000_000)
        #expect(times.microseconds(text, .second) == second * 1_000_000)
    }

    @Test(arguments: [
        ("soon", "not a time; write one such as \(TimeExpression.examples)"),
        ("5m", #"this is a length of time, not a time; write -5m or "5m ago", or --last 5m"#),
        ("2026", "write 2026-01-01 for the beginning of the year"), ("20261025", "write 2026-10-25"),
        ("1795255200", "write @1795255200 for seconds since 1970"),
        ("1795255200123", "write @1795255200.123 for milliseconds since 1970"),
        ("1795255200123456", "write @1795255200.123456 for microseconds since 1970"),
        ("1795255200123456789", "write @1795255200.123456 for nanoseconds since 1970"),
        ("2026-02-29", "there is no day 2026-02-29"), ("2026-13-01 10:00", "there is no day 2026-13-01"),
        ("Sun 2026/02/29 10:00Z", "there is no day 2026-02-29"),
        ("24:00", "a time of day is from 00:00 to 23:59:59"),
        ("2026-10-25T10:60Z", "a time of day is from 00:00 to 23:59:59"),
        ("Sat 2026-10-25 10:00", "2026-10-25 is another day of the week"),
        ("2026-10-25 10:00 CEST", "local time is not called CEST then; write an offset, such as +01:00"),
    ])
    func `what is wrong is said, or what to write`(text: String, problem: String) {
        let times = TimeExpression(now: Run.now, zone: berlin)
        #expect(times.microseconds(text) == nil)
        #expect(times.problem(with: text, spanOption: "--last") == problem)
    }

    @Test func `local time has its name`() throws {
        let name = try #require(Zone.local.name(Int64(Run.now / 1_000_000)))
        let local = CivilTime(microseconds: Run.now, zone: .local)
        let text = "\(local.date) \(local.timeOfDay(decimals: 0)) \(name)"
        #expect(TimeExpression(now: Run.now, zone: .local).microseconds(text) == Run.now)
    }

    @Test func `a day whose midnight the clock change repeats begins with the first`() {
        // The Azores on the same day: from 01:00 to 00:00.
        let azores = Zone { moment in moment < 1_792_890_000 ? 0 : -3_600 }
        let times = TimeExpression(now: 1_792_929_600_000_000, zone: azores)
        for text in ["today", "2026-10-25", "10-25"] {
            #expect(times.microseconds(text, .first) == 1_792_886_400_000_000)
            #expect(times.microseconds(text, .second) == 1_792_886_400_000_000)
        }
        #expect(times.microseconds("00:00", .second) == 1_792_890_000_000_000)
    }

    @Test func `a range begins with the first and ends with the second`() async throws {
        let daemon = try FakeDaemon { _ in .lines([]) }
        defer { daemon.stop() }
        let time = "2026-10-25 02:30:00.5"
        _ = await Run.glossctl(
            [
                "--socket", daemon.socket, "show", "--since", time, "--until", time,
                "time > '\(time)' and time <= '\(time)'",
            ],
            zone: berlin)
        let question = try #require(daemon.requests.first?.question.removingPercentEncoding)
        #expect(question.contains("since=1792888200500000&until=1792891800599999"), "\(question)")
        #expect(
            question.contains(#"time > "@1792888200.500000" and time <= "@1792891800.500000""#), "\(question)")
    }
}
