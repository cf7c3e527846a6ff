import API
import FoundationEssentials
import Model
import Testing

@testable import Control

struct StatsCommandTests {
    private static func row(_ values: [(String, String?)], _ count: Int64) -> StatsRow {
        StatsRow(
            values: values.map { KeyValue(key: $0.0, value: $0.1) }, count: count,
            firstSeen: WireTime(microseconds: 1_795_222_800_000_000),
            lastSeen: WireTime(microseconds: 1_795_226_400_000_000))
    }

    private static func reply(_ by: [String], _ rows: [StatsRow], events: Int64? = nil, groups: Int? = nil)
        -> StatsReply
    {
        var reply = StatsReply(
            by: by, events: events ?? rows.reduce(0) { $0 + $1.count }, groups: groups ?? rows.count, rows: rows)
        reply.firstTime = WireTime(microseconds: 1_795_222_800_000_000)
        reply.lastTime = WireTime(microseconds: 1_795_226_400_000_000)
        return reply
    }

    private static var byEvent: StatsReply {
        var rows = [
            row([("event", "recipe_detail/tap_save_button"), ("名前", "夕食")], 12_345),
            row([("event", "a|b,\"c\""), ("名前", nil)], 100), row([("event", nil), ("名前", "\u{1B}[31mx")], 1),
        ]
        rows[0].trend = [0, 1, 5, 9, 18, 0]
        rows[1].trend = [100, 0, 0, 0, 0, 0]
        rows[0].distinct = 17
        var numbers = StatsRow.Numbers(count: 3, sum: 60.5)
        (numbers.min, numbers.max, numbers.average) = (-0.25, 12_345_678, 20.1666)
        (numbers.p50, numbers.p99) = (12, 1234.5)
        rows[0].numbers = numbers
        return reply(["event", "名前"], rows, groups: 70)
    }

    private func run(
        _ reply: StatsReply, _ arguments: [String], width: Int? = nil, zone: Zone = .utc
    ) async throws -> (Run, target: String?) {
        let body = Array(try APICoding.encode(reply))
        let daemon = try FakeDaemon { _ in .document(body) }
        defer { daemon.stop() }
        let run = await Run.glossctl(
            ["--socket", daemon.socket] + arguments, width: width, environment: ["NO_COLOR": "1", "GLOSS_PAGER": ""],
            zone: zone)
        return (run, daemon.requests.first?.target)
    }

    @Test func `groups are a table`() async throws {
        let arguments = ["stats", "--by", "event,名前", "--of", "took", "--distinct", "user", "--utc"]
        let (text, target) = try await run(Self.byEvent, arguments)
        #expect(text.status == .done && text.errors.isEmpty)
        #expect(
            target == "/v1/stats?by=event&by=%E5%90%8D%E5%89%8D&top=20&of=took&distinct=user")
        try expectSnapshot(text.output, "stats-pipe")
        try expectSnapshot(try await run(Self.byEvent, arguments + ["-o", "csv"]).0.output, "stats-csv")
        try expectSnapshot(try await run(Self.byEvent, arguments + ["-o", "markdown"]).0.output, "stats-markdown")
        let json = try await run(Self.byEvent, arguments + ["-o", "json"]).0.output
        #expect(try APICoding.decode(StatsReply.self, from: Data(json.utf8)) == Self.byEvent)
    }

    @Test func `a terminal gets trends, or bars for parts of time`() async throws {
        let (text, target) = try await run(Self.byEvent, ["stats", "--by", "event,名前", "--utc"], width: 120)
        #expect(target?.contains("trend=24") == true)
        try expectSnapshot(text.output, "stats-120")
        func hours(_ offset: String) -> StatsReply {
            Self.reply(
                ["hour"],
                [("01", 30), ("04", 1), ("05", 17)].map {
                    Self.row([("hour", "2026-11-21T\($0.0):00:00\(offset)")], $0.1)
                })
        }
        let (bars, asked) = try await run(
            hours("+00:00"), ["stats", "--by", "hour", "--utc", "level >= err"], width: 80)
        #expect(asked == "/v1/stats?predicate=level%20%3E%3D%20err&by=hour&top=1000")
        try expectSnapshot(bars.output, "stats-hours-80")
        // By another clock than the reader's, it is said.
        let (others, _) = try await run(hours("+09:00"), ["stats", "--by", "hour", "--utc"], width: 80)
        #expect(others.output.contains("2026-11-21 01:00+09:00     30"))
    }

    @Test func `shares and rates make room for numbers on a narrow terminal`() async throws {
        var numbers = StatsRow.Numbers(count: 12_345, sum: 400_000)
        (numbers.min, numbers.max, numbers.average) = (3, 900, 33.62)
        (numbers.p50, numbers.p90, numbers.p95, numbers.p99) = (31, 58, 70, 210)
        var row = Self.row([("event", "recipe_detail/tap_save_button")], 12_345)
        (row.numbers, row.perSecond) = (numbers, 3.4)
        let reply = Self.reply(["event"], [row])
        let arguments = ["stats", "--by", "event", "--of", "took"]
        func lines(_ width: Int?) async throws -> [String] {
            try await run(reply, arguments, width: width).0.output.split(separator: "\n").map(String.init)
        }
        let numbersAlone = "recipe_detail/tap_save_button  12,345    3  33.62   31   58   70  210  900"
        for (width, has) in [
            (74, []), (80, []), (81, []), (82, ["SHARE"]), (120, ["SHARE", "PER SECOND"]),
            (nil, ["SHARE", "PER SECOND"]),
        ] {
            let lines = try await lines(width)
            #expect(lines.count == 3)
            for name in ["SHARE", "PER SECOND"] { #expect(lines[1].contains(name) == has.contains(name), "\(lines)") }
            #expect(!has.isEmpty || lines[2] == numbersAlone, "\(lines)")
        }
    }

    /// Clocks in Berlin in 2026.
    private static let berlin = Zone { (1_774_746_000..<1_792_890_000).contains($0) ? 7200 : 3600 }

    @Test(
        arguments: [
            (
                "month", berlin,
                ["2026-02-01T00:00:00+01:00", "2026-05-01T00:00:00+02:00", "2026-07-01T00:00:00+02:00"],
                ["2026-02", "2026-03", "2026-04", "2026-05", "2026-06", "2026-07"]
            ),
            (
                "day", berlin, ["2026-10-24T00:00:00+02:00", "2026-10-27T00:00:00+01:00"],
                ["2026-10-24", "2026-10-25", "2026-10-26", "2026-10-27"]
            ),
            (
                "hour", berlin, ["2026-10-25T01:00:00+02:00", "2026-10-25T04:00:00+01:00"],
                [
                    "2026-10-25 01:00", "2026-10-25 02:00+02:00", "2026-10-25 02:00+01:00", "2026-10-25 03:00",
                    "2026-10-25 04:00",
                ]
            ),
            (
                "hour", berlin, ["2026-03-29T00:00:00+01:00", "2026-03-29T05:00:00+02:00"],
                ["2026-03-29 00:00", "2026-03-29 01:00", "2026-03-29 03:00", "2026-03-29 04:00", "2026-03-29 05:00"]
            ),
            // What the clock of another machine does between two offsets is not known.
            (
                "day", .utc, ["2026-10-22T00:00:00+02:00", "2026-10-24T00:00:00+02:00", "2026-10-27T00:00:00+01:00"],
                ["2026-10-22+02:00", "2026-10-23+02:00", "2026-10-24+02:00", "2026-10-27+01:00"]
            ),
        ] as [(String, Zone, [String], [String])])
    func `parts of time without events are shown by the clock`(
        unit: String, zone: Zone, starts: [String], shown: [String]
    ) async throws {
        let reply = Self.reply([unit], starts.map { Self.row([(unit, $0)], 7) })
        let (text, _) = try await run(reply, ["stats", "--by", unit], zone: zone)
        let rows = text.output.split(separator: "\n").filter { $0.hasPrefix("2026-") }
        #expect(rows.map { String($0.prefix(upTo: $0.firstRange(of: "  ")?.lowerBound ?? $0.endIndex)) } == shown)
        #expect(rows.filter { $0.hasSuffix(" 7") }.count == starts.count, "\(text.output)")
        #expect(rows.filter { $0.hasSuffix(" 0") }.count == shown.count - starts.count, "\(text.output)")
    }

    @Test func `rows of times that are not neighbours have a mark between them`() async throws {
        func starts(_ reply: StatsReply, _ arguments: String..., zone: Zone = .utc) async throws -> [String] {
            let (text, _) = try await run(reply, ["stats"] + arguments, zone: zone)
            return text.output.split(separator: "\n").dropFirst(2).map { line in
                String(line.prefix(upTo: line.firstRange(of: "  ")?.lowerBound ?? line.endIndex))
            }
        }
        func minute(_ time: String) -> StatsRow { Self.row([("minute", "2026-11-21T\(time):00+00:00")], 7) }
        let rows = ["07:36", "07:37", "07:45"].map(minute)
        let more = Self.reply(["minute"], rows, groups: 9)
        #expect(
            try await starts(more, "--by", "minute").dropLast()
                == ["2026-11-21 07:36", "2026-11-21 07:37", "…", "2026-11-21 07:45"])
        let long = Self.reply(["minute"], ["01:00", "23:00"].map(minute))
        #expect(try await starts(long, "--by", "minute") == ["2026-11-21 01:00", "…", "2026-11-21 23:00"])
        let both = [("01", "err"), ("01", "info"), ("02", "err"), ("05", "err")].map { hour, level in
            Self.row([("level", level), ("hour", "2026-11-21T\(hour):00:00+00:00")], 1)
        }
        let (text, _) = try await run(Self.reply(["level", "hour"], both), ["stats", "--by", "level,hour"])
        #expect(text.output.contains("err    2026-11-21 02:00      1\n       …\nerr    2026-11-21 05:00      1\n"))
        #expect(text.output.split(separator: "…", omittingEmptySubsequences: false).count == 2, "\(text.output)")
        // By another clock, which was changed.
        let days = ["24T00:00:00+02:00", "25T00:00:00+02:00", "26T00:00:00+01:00", "28T00:00:00+01:00"]
        let other = Self.reply(["day"], days.map { Self.row([("day", "2026-10-\($0)")], 1) }, groups: 9)
        #expect(
            try await starts(other, "--by", "day").dropLast()
                == ["2026-10-24+02:00", "2026-10-25+02:00", "2026-10-26+01:00", "…", "2026-10-28+01:00"])
        #expect(try await !run(more, ["stats", "--by", "minute", "-o", "csv"]).0.output.contains("…"))
    }

    @Test func `the values of a key are listed`() async throws {
        let reply = Self.reply(["level"], [Self.row([("level", "err")], 3), Self.row([("level", "info")], 2)])
        let (text, target) = try await run(reply, ["values", "level", "user = 4", "-n5", "--utc"])
        #expect(target == "/v1/stats?predicate=user%20%3D%204&by=level&top=5&none=false")
        #expect(text.output.contains("err        3  60.0%"), "\(text.output)")
        #expect(try await run(reply, ["values", "level", "-o", "cat"]).0.output == "err\ninfo\n")
        let none = try await run(Self.reply(["x"], []), ["values", "x"]).0
        #expect(none.status == .no && none.errors == "No event has a value for x.\n")
    }

    @Test(arguments: [
        (["stats", "--by", "a,,b"], "a key is missing"), (["stats", "--by", "a,b,c,d,e"], "at most 4 keys"),
        (["stats", "--top", "0"], "from 1 to 1000"), (["values"], "Missing expected argument"),
        (["top", "--window", "0"], "no event is in it"), (["status", "--interval", "5"], "--interval is for --watch"),
        (["values", "level", "-n", "2000"], "from 1 to 1000"), (["stats", "level >="], "expected a value"),
    ])
    func `what cannot be is refused`(arguments: [String], reason: String) async throws {
        let (run, target) = try await run(Self.byEvent, arguments)
        #expect(run.status == .wrongUsage && target == nil)
        #expect(run.errors.contains(reason), "\(run.errors)")
    }

    @Test(arguments: [
        (0.0, "0"), (-0.25, "-0.2500"), (12_345, "12,345"), (1234.5, "1,235"), (8.254, "8.25"), (123.46, "123.5"),
        (9_999_999, "9,999,999"), (12_345_678, "12.3M"), (999_999_999, "1.00G"), (-5e15, "-5.00P"), (1e-7, "1e-07"),
        (0.00411, "0.0041"), (1.2561453379240079e-05, "1.26e-05"), (-9.996e-5, "-0.0001"),
        (1.23456e+20, "1.23e+20"), (Double.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    ])
    func `numbers have as many digits as people need`(number: Double, text: String) {
        #expect(StatsTable.short(number) == text)
    }

    @Test func `keys may have commas in quotes`() {
        #expect(KeyList.split(#"event, payload."a,b",'x,"y', z"#) == ["event", #"payload."a,b""#, #"'x,"y'"#, "z"])
    }

    @Test func `a terminal gets the distribution of the numbers of all events`() async throws {
        var row = Self.row([], 30)
        var numbers = StatsRow.Numbers(count: 30, sum: 900)
        numbers.histogram = [
            .init(from: 0, to: 0.5, count: 2), .init(from: 0.5, to: 1, count: 0), .init(from: 1, to: 2000, count: 28),
        ]
        row.numbers = numbers
        let reply = Self.reply([], [row])
        let (text, target) = try await run(reply, ["stats", "--of", "took", "--utc"], width: 80)
        #expect(target == "/v1/stats?top=20&of=took&histogram=20")
        try expectSnapshot(text.output, "stats-histogram")
        let (piped, asked) = try await run(reply, ["stats", "--of", "took", "--utc"])
        #expect(asked == "/v1/stats?top=20&of=took" && !piped.output.contains("FROM"))
        #expect(try await run(reply, ["stats", "--of", "took", "-o", "json"]).1?.contains("histogram=20") == true)
        #expect(
            try await run(reply, ["stats", "--of", "took", "--by", "event"], width: 80).1?.contains("hist") == false)
    }

    @Test func `a trend is a line of bars`() {
        #expect(StatsRenderer.sparkline([0, 1, 4, 8, 8]) == " ▂▅██")
        #expect(StatsRenderer.sparkline([0, 0]) == "")
    }
}
