import Model
import API
import Foundation
import TestSupport
import Testing

@testable import Control

@Suite struct ShowCommandTests {
    @Test func `show asks once for the newest events, oldest first`() async throws {
        let lines = try Fixture.lines("events.ndjson").dropLast()
        let (run, requests) = try await ask("show", "-o", "ndjson") { try Fixture.answer($0, Array(lines)) }
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
        #expect(Array(run.output.utf8) == joined(lines))
        #expect(requests.map(\.target) == ["/v1/events?order=oldest"])
    }

    /// The members that the text of events is made from.
    private static let shown = EventRenderer.members.reduce("type%2Cid") { "\($0)%2C\($1)" }

    @Test func `show in text asks once what is common`() async throws {
        let lines = try Fixture.lines("events.ndjson").dropLast()
        let (run, requests) = try await ask("show", "--utc", width: 100, environment: ["NO_COLOR": "1"]) {
            try Fixture.answer($0, Array(lines))
        }
        #expect(run.status == .done)
        #expect(
            requests.map(\.target) == [
                "/v1/events?order=oldest&members=\(Self.shown)", "/v1/dictionaries/shop/definitions?n=0",
            ])
        #expect(run.output.contains("recipe_id=123456"))
        #expect(!run.output.contains("user_id"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test(arguments: [true, false])
    func `where sources have other keys, what may be a parameter is shown`(hasOtherKeys: Bool) async throws {
        let line = String(decoding: try Fixture.lines("events.ndjson")[0], as: UTF8.self)
        let sent = line.replacing(#""event_name":"tap_save_button""#, with: #""event_name":"x""#)
        let list = String(decoding: try Fixture.bytes("definitions.json"), as: UTF8.self)
            .replacing("{\n \"dictionary\"", with: "{\n \"other_keys\": \(hasOtherKeys),\n \"dictionary\"")
        let (run, _) = try await ask("show", "--utc") { request in
            request.target.contains("/definitions?")
                ? .document(Array(list.utf8)) : try Fixture.answer(request, [Array(sent.utf8)])
        }
        #expect(run.status == .done)
        let members = run.output.split { $0.isWhitespace }.filter { $0.hasPrefix("event_") }
        #expect(members.map(String.init) == (hasOtherKeys ? ["event_name=x"] : []), "\(run.output)")
    }

    @Test func `a range is asked for from its oldest event on and all of it`() async throws {
        let lines = try Fixture.lines("events.ndjson")
        let (run, requests) = try await ask("show", "--last", "5m", "--level", "err", "-o", "ndjson") {
            try Fixture.answer($0, lines)
        }
        #expect(run.status == .done)
        #expect(requests.map(\.target) == ["/v1/events?level=err&since=1795186510000000&n=all&order=oldest"])
    }

    @Test(arguments: [
        ("--until=@1795186800", "until=1795186800000000"),
        ("--until=2026-11-20 13:02:37.27", "until=1795179757279999"),
        ("--until=2026-11-20 13:02:37", "until=1795179757000000"),
        ("--until=2026-11-20 13:02:37.275001", "until=1795179757275001"),
    ])
    func `a range ends with what is shown with the time of its end`(option: String, sent: String) async throws {
        let (_, requests) = try await ask("show", option, "-o", "ndjson") { try Fixture.answer($0, []) }
        #expect(requests.first?.target.contains(sent) == true, "\(requests.map(\.target))")
    }

    @Test func `filters reach the daemon as they were given`() async throws {
        let (_, requests) = try await ask(
            "show", "-r", "-n", "5", "--subsystem", "com.*", "--subsystem", "a&b", "--category", "C D", "--event",
            "x/*",
            "--resolution", "violating", "--boot", "5f1d0c9a-5c9f-4a0b-a1c3-f1d2e3b4a596", "--grep", "a+b", "--since",
            "-5m"
        ) { try Fixture.answer($0, []) }
        #expect(
            requests.prefix(1).map(\.target) == [
                "/v1/events?subsystem=com.%2A&subsystem=a%26b&category=C%20D&event=x%2F%2A&since=1795186510000000"
                    + "&boot=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596&resolution=violating&grep=a%2Bb&n=5&members=\(Self.shown)"
            ])
    }

    @Test func `json is one array, also of nothing`() async throws {
        let lines = try Fixture.lines("events.ndjson")
        let (run, _) = try await ask("show", "-o", "json", "-n", "all") { try Fixture.answer($0, lines) }
        #expect(
            Array(run.output.utf8) == Array("[\n".utf8) + lines.joined(separator: Array(",\n".utf8))
                + Array("\n]\n".utf8))
        let (empty, _) = try await ask("show", "-o", "json") { try Fixture.answer($0, []) }
        #expect(empty.output == "[]\n")
        #expect(empty.status == .no)
    }

    @Test(arguments: [nil, 80]) func `cat is what was sent, a line each and nothing else`(width: Int?) async throws {
        let lines = try Fixture.lines("events.ndjson")
        let (run, _) = try await ask("show", "-n", "all", "-o", "cat", width: width) { try Fixture.answer($0, lines) }
        #expect(run.status == .done)
        let output = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        let events = try lines.compactMap { line -> EventLine? in
            guard case .event(let event) = try StreamLine.parse(line) else { return nil }
            return event
        }
        #expect(output.count == events.count + 1)
        #expect(
            output.first
                == #"{"event_category":"recipe_detail","event_name":"tap_save_button","user_id":1234567890123456789,"time":"2026-11-20 23:59:59","recipe_id":123456}"#
        )
        #expect(output.contains(#"GET /recipes/1 "\u001b]0;owned\u0007" 200"#))
        #expect(terminalControls(in: run.output) == [])
        // What is not an event is reported elsewhere.
        #expect(run.errors.hasPrefix("glossctl: gap: journald suppressed 1200 messages"), "\(run.errors)")
        #expect(run.errors.split(separator: "\n").count == lines.count - events.count)
        // A line break in a message begins no line.
        let two = String(decoding: lines[0], as: UTF8.self).replacing(
            #/"payload":\{.*\}\}/#, with: #""message":"a\nb"}"#)
        let (broken, _) = try await ask("show", "-o", "cat") { try Fixture.answer($0, [Array(two.utf8)]) }
        #expect(broken.output == "a\\nb\n")
    }

    @Test(arguments: [nil, 140]) func `short-iso has whole times, which --since takes`(width: Int?) async throws {
        let lines = try Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { (try? Fixture.answer($0, lines)) ?? .problem(500, "") }
        defer { daemon.stop() }
        let zone = Zone.fixed(seconds: -(3 * 3600 + 30 * 60))
        let run = await Run.glossctl(
            ["--socket", daemon.socket, "show", "-n", "all", "-o", "short-iso"], width: width,
            environment: ["NO_COLOR": "1"], zone: zone)
        #expect(run.output.hasPrefix("9 2026-11-20T11:29:59.999-03:30 notice  com.example.shop/ActivityLog "))
        #expect(!run.output.contains("-- 2026"))
        #expect(
            TimeExpression(now: Run.now, zone: .utc).microseconds("2026-11-20T11:29:59.999-03:30")
                == 1_795_186_799_999_000)
        let utc = await Run.glossctl(
            ["--socket", daemon.socket, "show", "-n", "all", "-o", "short-iso", "--utc"], width: width, zone: zone)
        #expect(utc.output.contains("2026-11-20T14:59:59.999+00:00"))
    }

    @Test func `colour follows the terminal, NO_COLOR, TERM and --color`() async throws {
        let lines = try Fixture.lines("events.ndjson")
        func isColoured(_ arguments: [String], _ width: Int?, _ environment: [String: String]) async throws -> Bool {
            let daemon = try FakeDaemon { (try? Fixture.answer($0, lines)) ?? .problem(500, "") }
            defer { daemon.stop() }
            let all = ["--socket", daemon.socket, "show", "-n", "all"] + arguments
            let run = await Run.glossctl(all, width: width, environment: environment)
            #expect(run.status == .done)
            return run.output.contains("\u{1B}[")
        }
        #expect(try await isColoured([], 100, [:]))
        #expect(try await isColoured([], 100, ["NO_COLOR": ""]))
        #expect(try await !isColoured([], 100, ["NO_COLOR": "1"]))
        #expect(try await !isColoured([], 100, ["TERM": "dumb"]))
        #expect(try await !isColoured([], nil, [:]))
        #expect(try await isColoured(["--color", "always"], nil, ["NO_COLOR": "1"]))
        #expect(try await !isColoured(["--color", "never"], 100, [:]))
    }

    @Test func `a reader that has seen enough ends show without a word`() async throws {
        let lines = try Fixture.lines("events.ndjson")
        let (run, _) = try await ask("show", "-n", "all", "-o", "ndjson", writeLimit: 1) {
            try Fixture.answer($0, lines)
        }
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
    }

    @Test func `an error in the middle of a stream is an error`() async throws {
        let good = try Fixture.lines("events.ndjson")[0]
        let bad = Array(
            #"{"type":"error","problem":{"type":"about:blank","title":"Store","status":500,"detail":"disk I/O error"}}"#
                .utf8)
        for arguments in [["-n", "all"], ["-n", "5"], ["-n", "all", "-o", "json"], ["-n", "all", "-o", "ndjson"]] {
            let daemon = try FakeDaemon { (try? Fixture.answer($0, [good, bad])) ?? .problem(500, "") }
            defer { daemon.stop() }
            let run = await Run.glossctl(["--socket", daemon.socket, "show"] + arguments)
            #expect(run.status == .no)
            #expect(run.errors == "glossctl: disk I/O error\n")
            #expect(run.output.hasSuffix("\n]\n") == (arguments.last == "json"))
        }
    }

    @Test func `a stream that breaks off is not taken for the whole answer`() async throws {
        let lines = try Fixture.lines("events.ndjson")
        let (run, _) = try await ask("show", "-n", "all", "-o", "ndjson") { _ in .lines(lines, breaksOff: true) }
        #expect(run.status == .unreachable)
        #expect(run.errors.contains("ended the connection"))
    }

    /// Answers with two events, and the gap behind them, of all that was asked for, and cuts off the next one.
    private static func impatient(_ target: String, _ stored: [[UInt8]]) -> FakeDaemon.Reply {
        func value(_ name: String) -> String? {
            target.split(whereSeparator: { "?&".contains($0) }).first { $0.hasPrefix("\(name)=") }
                .map { String($0.dropFirst(name.count + 1)) }
        }
        var left = (value("order") == "oldest" ? stored : stored.reversed())[...]
        if let place = (value("after") ?? value("before")).flatMap(Int64.init),
            let index = left.firstIndex(where: { LineHead.event(beginning: $0) == place })
        {
            left = left[(index + 1)...]
        }
        let events = left.indices.filter { LineHead.event(beginning: left[$0]) != nil }
        let most = min(events.count, value("n").flatMap(Int.init) ?? .max)
        guard most > 2 else { return .lines(Array(left[..<(most < events.count ? events[most] : left.endIndex)])) }
        return .cut(Array(left[..<events[2]]), Array(left[events[2]].prefix(100)))
    }

    @Test func `an output that is read slowly gets all events once, though the daemon does not wait`() async throws {
        let stored = try Fixture.lines("events.ndjson").dropLast(2)
        for (arguments, lines, answers) in [
            (["-n", "all"], Array(stored), 4), (["-n", "+3"], Array(stored.prefix(4)), 2),
            (["-n", "all", "-r"], Array(stored.reversed()), 4),
        ] {
            for format in ["ndjson", "json", "short"] {
                let daemon = try FakeDaemon { request in
                    if request.target.hasPrefix("/v1/events?") { return Self.impatient(request.target, Array(stored)) }
                    return (try? Fixture.answer(request, [])) ?? .problem(500, "")
                }
                defer { daemon.stop() }
                let run = await Run.glossctl(
                    ["--socket", daemon.socket, "show", "-o", format] + arguments, isReadSlowly: true)
                #expect(run.status == .done && run.errors.isEmpty, "\(arguments) \(format): \(run.errors)")
                #expect(daemon.requests.count { $0.target.hasPrefix("/v1/events?") } == answers)
                let (whole, _) = try await ask("show", "-o", format, "-n", "all") { try Fixture.answer($0, lines) }
                #expect(run.output == whole.output)
            }
        }
    }

    @Test(arguments: ["show -n 5 -o ndjson", "tail --no-reconnect -o ndjson"])
    func `nobody has read an answer that breaks off late if the daemon was there before it`(
        command: String
    ) async throws {
        let stored = try Fixture.lines("events.ndjson").dropLast(2)
        let status = String(decoding: try Fixture.bytes("status-running.json"), as: UTF8.self)
        let restarted = status.replacing(try Regex("\"uptime_seconds\": *[0-9.]+"), with: "\"uptime_seconds\":0.0")
        for (answer, isReadSlowly, wasUnread) in [
            (status, true, true), (status, false, false), (restarted, true, false), ("{}", true, false),
        ] {
            let daemon = try FakeDaemon { request in
                guard request.target.hasPrefix("/v1/events") else { return .document(Array(answer.utf8)) }
                return .cut(Array(stored.prefix(3)), Array(stored[3].prefix(100)))
            }
            defer { daemon.stop() }
            let words = command.split(separator: " ").map(String.init)
            let run = await Run.glossctl(["--socket", daemon.socket] + words, isReadSlowly: isReadSlowly)
            #expect(run.status == .unreachable && daemon.requests.count == (isReadSlowly ? 2 : 1))
            #expect(Array(run.output.utf8) == joined(stored.prefix(3)))
            let unread = run.errors.contains("since the output was not read for half a minute: the rest is missing\n")
            let isGone = run.errors.contains("ended the connection: it stopped, was restarted, or has too many")
            #expect(unread == wasUnread && isGone != wasUnread, "\(run.errors)")
        }
    }

    @Test func `a line that means nothing is shown and does not end the rest`() async throws {
        let good = try Fixture.lines("events.ndjson")[0]
        let lines = [Array("{\"type\":\"event\",\u{1B}".utf8), Array(#"{"type":"novelty"}"#.utf8), good]
        let (run, _) = try await ask("show", "-n", "all") { try Fixture.answer($0, lines) }
        #expect(run.status == .done)
        #expect(run.output.contains(#"{"type":"event",\u001b"#))
        #expect(run.output.contains("recipe_id=123456"))
        #expect(!run.output.contains("novelty"))
    }
}
