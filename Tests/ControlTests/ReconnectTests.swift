import API
import Foundation
import Synchronization
import Model
import Testing

@testable import Control

/// A tail whose daemon goes away and comes back.
@Suite(.timeLimit(.minutes(1))) struct ReconnectTests {
    private static func event(_ id: Int, uid: String? = nil, second: Int? = nil) -> [UInt8] {
        let time = "2026-11-20T15:00:\(String(second ?? id, radix: 10).count < 2 ? "0" : "")\(second ?? id).000000Z"
        return Array(
            (#"{"type":"event","id":\#(id),"uid":"\#(uid ?? "u\(id)")","time":"\#(time)","boot_id":"","cursor":"","#
                + #""host":"","subsystem":"s","category":"c","level":"info","resolution":"plain","violations":[],"#
                + #""warnings":[],"message":"number \#(id)"}"#).utf8)
    }

    private static func gap(_ id: Int, after: Int) -> [UInt8] {
        Array(
            (#"{"type":"gap","id":\#(id),"after":\#(after),"cause":"deleted","time":"2026-11-20T15:00:00.000000Z","#
                + #""certainty":"exact","message":"gone"}"#).utf8)
    }

    private static let busy = Array(
        #"{"type":"error","problem":{"type":"about:blank","title":"The store is busy","status":503}}"#.utf8)

    private static func status(newest: Int) throws -> FakeDaemon.Reply {
        let text = String(decoding: try Fixture.bytes("status-running.json"), as: UTF8.self)
        return .document(
            Array(text.replacing(try Regex("\"newest_id\": *[0-9]+"), with: "\"newest_id\":\(newest)").utf8))
    }

    /// Runs a tail until its output is as expected, or the time is over, and interrupts it then.
    /// - Parameter answers: what is answered to each request in turn, with what it must ask for.
    private func tail(
        _ arguments: [String], _ answers: [(target: String, reply: FakeDaemon.Reply)], isReadSlowly: Bool = false,
        until isDone: @escaping @Sendable (_ output: String, _ errors: String) -> Bool
    ) async throws -> (status: Outcome, output: String, errors: String, requests: [String]) {
        let count = Mutex(0)
        let daemon = try FakeDaemon { _ in
            let place = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return place < answers.count ? answers[place].reply : .endless([])
        }
        defer { daemon.stop() }
        let texts = Mutex<(output: [UInt8], errors: [UInt8])>(([], []))
        let console = Console(
            environment: ["GLOSS_SOCKET": daemon.socket],
            output: ByteSink { bytes in texts.withLock { $0.output += bytes } },
            errors: ByteSink { bytes in texts.withLock { $0.errors += bytes } },
            longestPause: isReadSlowly ? .zero : ControlClient.usualPause, now: { Run.now })
        let task = Task { await Glossctl.run(["tail"] + arguments, on: console) }
        func current() -> (String, String) {
            texts.withLock { (String(decoding: $0.output, as: UTF8.self), String(decoding: $0.errors, as: UTF8.self)) }
        }
        let end = ContinuousClock.now + .seconds(40)
        while case let (output, errors) = current(), !isDone(output, errors) || count.withLock({ $0 }) < answers.count,
            .now < end
        { try await Task.sleep(for: .milliseconds(20)) }
        task.cancel()
        let status = await task.value
        let (output, errors) = current()
        #expect(Array(daemon.requests.map(\.target).prefix(answers.count)) == answers.map(\.target))
        return (status, output, errors, daemon.requests.map(\.target))
    }

    private static let closed =
        "glossctl: glossd has closed the connection; waiting for it to answer again (Ctrl-C ends this)\n"
    private static let again = "glossctl: Connected again.\n"

    @Test(arguments: ["ndjson", "short"])
    func `a tail continues with the event after the last one, and shows nothing twice`(format: String) async throws {
        let (e, g) = (Self.event, Self.gap)
        let run = try await tail(
            ["-o", format, "-n", "2"],
            [
                ("/v1/status", try Self.status(newest: 5)),
                ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, nil, 5)])),
                // Events 6 and 7 came between the two requests: they are shown where they are in the order of arrival.
                ("/v1/events?n=2&order=oldest", .lines([g(1, 4), e(4, nil, 4), e(7, nil, 7), g(2, 7)])),
                (
                    "/v1/events?after=5&follow=true",
                    .cut([e(6, nil, 6), e(7, nil, 7), g(2, 7)], Array(e(8, nil, 8).prefix(90)))
                ),
                ("/v1/status", try Self.status(newest: 9)),
                ("/v1/events?n=1&order=oldest&after=6&before=8", .lines([e(7, nil, 7)])),
                ("/v1/events?after=7&follow=true", .lines([g(2, 7), e(8, nil, 8), e(9, nil, 9)])),
                ("/v1/status", try Self.status(newest: 9)),
                ("/v1/events?n=1&order=oldest&after=8&before=10", .lines([e(9, nil, 9)])),
                ("/v1/events?after=9&follow=true", .endless([e(10, nil, 10)])),
            ]
        ) { output, _ in output.contains("number 10") }
        #expect(run.status == .done)
        #expect(run.errors == Self.closed + Self.again + Self.closed + Self.again)
        if format == "ndjson" {
            let expected =
                [g(1, 4)] + [4, 6, 7].map { e($0, nil, $0) } + [g(2, 7)] + [8, 9, 10].map { e($0, nil, $0) }
            #expect(Array(run.output.utf8) == joined(expected))
        } else {
            let numbers = run.output.matches(of: /number (\d+)/).map { $0.1 }
            #expect(numbers == ["4", "6", "7", "8", "9", "10"])
            #expect(run.output.ranges(of: "gap: gone").count == 2)
        }
    }

    @Test func `an output that was not read for long is not taken for a daemon that went away`() async throws {
        let e = Self.event
        let run = try await tail(
            ["-n", "0", "-o", "ndjson"],
            [
                ("/v1/status", try Self.status(newest: 5)),
                ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, nil, 5)])),
                ("/v1/events?after=5&follow=true", .cut([e(6, nil, 6)], Array(e(7, nil, 7).prefix(90)))),
                // Has glossd been running since before that?
                ("/v1/status", try Self.status(newest: 9)),
                ("/v1/status", try Self.status(newest: 9)),
                ("/v1/events?n=1&order=oldest&after=5&before=7", .lines([e(6, nil, 6)])),
                ("/v1/events?after=6&follow=true", .endless([e(7, nil, 7)])),
            ], isReadSlowly: true
        ) { output, _ in output.contains("number 7") }
        #expect(Array(run.output.utf8) == joined([e(6, nil, 6), e(7, nil, 7)]))
        #expect(
            run.errors == "glossctl: the output was not read for half a minute, so that glossd has closed the "
                + "connection; connecting again\n" + Self.again)
    }

    @Test(arguments: ["ndjson", "csv"])
    func `a store that is busy for a while is waited for once the tail has begun`(format: String) async throws {
        let e = Self.event
        let busy = Self.busy
        let run = try await tail(
            ["-n", "0", "-o", format],
            [
                ("/v1/status", try Self.status(newest: 5)),
                ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, nil, 5)])),
                ("/v1/events?after=5&follow=true", .lines([busy])),
                ("/v1/status", try Self.status(newest: 9)),
                ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, nil, 5)])),
                // Both come in one piece.
                ("/v1/events?after=5&follow=true", .lines([e(6, nil, 6) + [UInt8(ascii: "\n")] + busy])),
                ("/v1/status", try Self.status(newest: 9)),
                ("/v1/events?n=1&order=oldest&after=5&before=7", .lines([e(6, nil, 6)])),
                ("/v1/events?after=6&follow=true", .endless([e(7, nil, 7)])),
            ]
        ) { output, _ in output.contains("number 7") }
        let waits = "glossctl: waiting: The store is busy\n" + Self.again
        #expect(run.status == .done && run.errors == waits + waits)
        if format == "ndjson" {
            #expect(Array(run.output.utf8) == joined([busy, e(6, nil, 6), busy, e(7, nil, 7)]))
        } else {
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 3 && lines[0].contains("message") && !lines[0].contains("number"), "\(run.output)")
        }
    }

    @Test(arguments: [true, false])
    func `a rebuilt store is noticed, and the tail continues by time`(isSmaller: Bool) async throws {
        let e = Self.event
        var answers: [(target: String, reply: FakeDaemon.Reply)] = [
            ("/v1/status", try Self.status(newest: 5)),
            ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, nil, 5)])),
            ("/v1/events?after=5&follow=true", .lines([e(6, nil, 7), e(7, nil, 7)])),
            ("/v1/status", try Self.status(newest: isSmaller ? 3 : 300)),
        ]
        if !isSmaller { answers.append(("/v1/events?n=1&order=oldest&after=6&before=8", .lines([e(7, "other", 1)]))) }
        // Ids follow the order of arrival, which may differ from that of time.
        let (same, later, last) = (e(3, "same time", 7), e(4, "u8", 8), e(10, "u9", 9))
        answers.append(
            (
                "/v1/events?since=1795186807000000&after=0&follow=true",
                .endless([e(2, "u7", 7), same, later, e(5, "u6", 7), last])
            ))
        let run = try await tail(["-n", "0", "-o", "ndjson"], answers) { output, _ in output.contains("number 10") }
        #expect(Array(run.output.utf8) == joined([e(6, nil, 7), e(7, nil, 7), same, later, last]))
        #expect(
            run.errors == Self.closed + Self.again
                + "glossctl: The store was replaced in the meantime, and its events have other ids. "
                + "Continuing with what was sent since 2026-11-20 15:00:07.000Z.\n")
    }

    @Test func `a rebuilt store is noticed though it is busy at first`() async throws {
        let (e, last) = (Self.event, "/v1/events?n=1&order=oldest&after=6&before=8")
        let run = try await tail(
            ["-n", "0", "-o", "ndjson"],
            [
                ("/v1/status", try Self.status(newest: 5)),
                ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, nil, 5)])),
                ("/v1/events?after=5&follow=true", .lines([e(7, nil, 7)])),
                ("/v1/status", try Self.status(newest: 300)), (last, .lines([Self.busy])),
                ("/v1/status", try Self.status(newest: 300)), (last, .lines([e(7, "other", 1)])),
                ("/v1/events?since=1795186807000000&after=0&follow=true", .endless([e(8, nil, 8)])),
            ]
        ) { output, _ in output.contains("number 8") }
        #expect(Array(run.output.utf8) == joined([e(7, nil, 7), e(8, nil, 8)]))
        let waiting = Self.closed + "glossctl: still waiting: The store is busy\n" + Self.again
        #expect(run.errors.hasPrefix(waiting + "glossctl: The store was replaced in the meantime"), "\(run.errors)")
    }

    @Test(arguments: [(0, "10"), (2, "05")])
    func `a rebuilt store is noticed before anything new was shown`(stored: Int, second: String) async throws {
        let e = Self.event
        var answers: [(target: String, reply: FakeDaemon.Reply)] = [
            ("/v1/status", try Self.status(newest: 5)),
            ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, nil, 5)])),
        ]
        if stored > 0 { answers.append(("/v1/events?n=2&order=oldest", .lines([e(4, nil, 4), e(5, nil, 5)]))) }
        answers += [
            ("/v1/events?after=5&follow=true", .lines([])), ("/v1/status", try Self.status(newest: 60)),
            ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([e(5, "other", 15)])),
            ("/v1/events?since=17951868\(second)000000&after=0&follow=true", .endless([e(1, "new", 11)])),
        ]
        let run = try await tail(["-n", "\(stored)", "-o", "ndjson"], answers) { output, _ in
            output.contains("number 1\"")
        }
        #expect(
            Array(run.output.utf8) == joined((stored > 0 ? [e(4, nil, 4), e(5, nil, 5)] : []) + [e(1, "new", 11)]))
        #expect(run.errors.contains("The store was replaced") && run.errors.contains("15:00:\(second).000Z.\n"))
    }

    @Test func `a tail since a time continues by ids from its first event on`() async throws {
        let e = Self.event
        _ = try await tail(
            ["--since", "-5m"],
            [
                ("/v1/status", try Self.status(newest: 50)),
                ("/v1/events?since=1795186510000000&after=0&follow=true", .cut([e(3, nil, 3)], [])),
                ("/v1/status", try Self.status(newest: 50)),
                ("/v1/events?n=1&order=oldest&after=2&before=4", .lines([])),
                ("/v1/events?since=1795186510000000&after=3&follow=true", .endless([])),
            ]
        ) { _, errors in errors.contains("Connected again.") }
    }

    @Test func `waiting ends with Ctrl-C, and an answer that is not a daemon's is reported`() async throws {
        let other = FakeDaemon.Reply.document(Array("{}".utf8), type: "text/html")
        let run = try await tail(
            ["-n", "0"],
            [
                ("/v1/status", try Self.status(newest: 5)),
                ("/v1/events?n=1&order=oldest&after=4&before=6", .lines([])),
                ("/v1/events?after=5&follow=true", .lines([])), ("/v1/status", other), ("/v1/status", other),
            ]
        ) { _, errors in errors.contains("still waiting") }
        #expect(run.status == .done)
        #expect(
            run.errors == Self.closed + "glossctl: still waiting: another program answers there: 200 with text/html\n")
    }

    @Test func `a wrong request and a failed stream are errors, also after a restart`() async throws {
        let (run, _) = try await ask("tail", "-n", "0") { request in
            request.target == "/v1/status"
                ? try Self.status(newest: 5) : .problem(400, "grep: not a regular expression")
        }
        #expect(run.status == .wrongUsage)
        let failed = Array(
            #"{"type":"error","problem":{"type":"about:blank","title":"Store","status":500,"detail":"disk I/O error"}}"#
                .utf8)
        let (stream, _) = try await ask("tail", "-n", "0") { request in
            request.target == "/v1/status" ? try Self.status(newest: 5) : .lines([Self.event(6), failed])
        }
        #expect(stream.status == .no)
        #expect(stream.errors == "glossctl: disk I/O error\n")
        let (table, _) = try await ask("tail", "-n", "0", "-o", "csv") { request in
            request.target == "/v1/status" ? try Self.status(newest: 5) : .lines([failed])
        }
        #expect(table.errors == stream.errors && table.output.split(separator: "\n").count == 1, "\(table.output)")
        #expect(table.output.contains("message"))
    }

    @Test func `a first connection that is refused is an error at once`() async throws {
        let (run, requests) = try await ask("tail", "-n", "0") { request in
            request.target == "/v1/status" ? try Self.status(newest: 5) : .problem(503, "100 tails are open")
        }
        #expect(run.status == .no)
        #expect(run.errors == "glossctl: 100 tails are open\n")
        #expect(requests.map(\.target).last == "/v1/events?after=5&follow=true" && requests.count == 3)
    }

    @Test func `a store that does not say where it ends is tailed once`() async throws {
        var status =
            try JSONSerialization.jsonObject(with: Data(try Fixture.bytes("status-running.json"))) as? [String: Any]
        status?["events"] = nil
        let document = Array(try JSONSerialization.data(withJSONObject: try #require(status)))
        let (run, requests) = try await ask("tail", "-o", "ndjson") { request in
            request.target == "/v1/status" ? .document(document) : .lines([Self.event(6)])
        }
        #expect(run.status == .unreachable)
        #expect(Array(run.output.utf8) == joined([Self.event(6)]))
        #expect(requests.map(\.target) == ["/v1/status", "/v1/events?n=10&follow=true"])
    }

    @Test func `the pauses between attempts grow up to five seconds`() {
        let pauses = (1...9).map(EventStream.backoff.ceiling)
        #expect(
            pauses == [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000].map { .milliseconds($0) })
    }

    @Test func `what a line is, is read from its beginning`() throws {
        #expect(
            LineHead(Self.event(7)) == .event(id: 7, uid: "u7", time: try #require(WireTime("2026-11-20T15:00:07Z"))))
        #expect(LineHead(Self.gap(3, after: 1)) == .gap(id: 3, after: 1))
        for other in [
            "", "{", #"{"type":"event","id":"#, #"{"type":"event","id":1,"uid":"x"#, #"{"type":"late","count":1}"#,
        ] {
            #expect(LineHead(Array(other.utf8)) == .other)
        }
        for line in try Fixture.lines("events.ndjson") {
            switch try StreamLine.parse(line) {
            case .event(let event): #expect(LineHead(line) == .event(id: event.id, uid: event.uid, time: event.time))
            case .gap(let gap): #expect(LineHead(line) == .gap(id: gap.id, after: gap.after))
            default: #expect(LineHead(line) == .other)
            }
        }
    }

    @Test func `an event that was left out is not asked for again`() {
        var place = TailPlace(event: 5, uid: "u5")
        place.pass(7)
        place.pass(6)
        #expect(place.event == 7)
        #expect(place.known?.id == 5)
    }
}
