import API
import Model
import TestSupport
import Testing

@testable import Control

@Suite struct NothingFoundTests {
    /// A daemon that has events, as those of the status say, and none that meet a query with one of these in it.
    private func show(_ arguments: String..., without absent: [String]) async throws -> (Run, [FakeDaemon.Request]) {
        let line = try Fixture.lines("events.ndjson")[0]
        let daemon = try FakeDaemon { request in
            let isAbsent = absent.contains { request.target.contains($0) }
            return (try? Fixture.answer(request, isAbsent ? [] : [line])) ?? .problem(500, "")
        }
        defer { daemon.stop() }
        return (await Run.glossctl(["--socket", daemon.socket, "show"] + arguments), daemon.requests)
    }

    @Test func `it says how many events there are, and what none of them has`() async throws {
        let (run, requests) = try await show("--subsystem", "com.example.nope", without: ["com.example.nope"])
        #expect(run.status == .no)
        #expect(run.output.isEmpty)
        #expect(run.errors == "No events match; 512,000 are stored, none with subsystem com.example.nope.\n")
        // The only condition has been asked for already.
        #expect(
            requests.map(\.question).prefix(2) == [
                "/v1/events?subsystem=com.example.nope&order=oldest", "/v1/status",
            ])
    }

    @Test func `a condition is asked for by itself if there are others, or a place to begin`() async throws {
        for more in ["--category=shop", "-n+5"] {
            let (run, requests) = try await show(
                "--subsystem", "com.example.nope", more, without: ["com.example.nope"])
            #expect(run.errors.hasPrefix("No events match; 512,000 are stored, none with subsystem com.example.nope"))
            #expect(requests.map(\.target).contains("/v1/events?subsystem=com.example.nope&n=1"))
        }
    }

    @Test func `each part of the filter is checked by itself`() async throws {
        let (run, _) = try await show(
            "-unope", "-tshop", "--user", "42", "--host", "a", "--host", "b", "--where", "x=1", "-p", "crit",
            without: ["unit=", "host=", "where=", "level="])
        #expect(run.status == .no)
        #expect(
            run.errors == """
                No events match; 512,000 are stored, none with level crit or more severe, none with unit nope.service, \
                none with host a or b, none where x=1.

                """)
    }

    @Test(arguments: [
        (["--subsystem", "shop"], "subsystem shop (did you mean com.example.shop?)"),
        (["--subsystem", "com.exmaple.shop"], "subsystem com.exmaple.shop (did you mean com.example.shop?)"),
        (["--subsystem", "zzz"], "subsystem zzz"), (["--subsystem", "o"], "subsystem o"),
        (["-u", "a,b"], "unit a,b.service (--unit has one value, and may be repeated)"),
        (["--where", "level=error"], "level=error (level is also a key: 'level == error')"),
        (["--where", "lvl=error"], "lvl=error"),
    ])
    func `what may be meant is said of a value that no event has`(filter: [String], part: String) async throws {
        func row(_ value: String) -> StatsRow {
            let time = WireTime(microseconds: Sample.start)
            return StatsRow(
                values: [.init(key: "subsystem", value: value)], count: 1, firstSeen: time, lastSeen: time)
        }
        let reply = StatsReply(
            by: ["subsystem"], events: 2, groups: 2, rows: [row("com.example.shop"), row("org.other")])
        let stats = Array(try APICoding.encode(reply))
        let daemon = try FakeDaemon { request in
            guard !request.target.hasPrefix("/v1/stats") else { return .document(stats) }
            return (try? Fixture.answer(request, [])) ?? .problem(500, "")
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket, "show"] + filter)
        #expect(run.status == .no && run.errors.hasSuffix("\(part).\n"), "\(run.errors)")
    }

    @Test func `each condition of a predicate is checked by itself, if that is quick`() async throws {
        let (run, requests) = try await show(
            "subsystem == com.example.nope and took > 3 and message contains 'x' and not host == a and level >= crit and user in {4, 5}",
            without: ["com.example.nope", "crit", "host%20%3D%3D%20a", "user"])
        #expect(
            run.errors
                == "No events match; 512,000 are stored, none where subsystem == com.example.nope, none where level >= crit.\n"
        )
        #expect(requests.count == 4)
        let (alone, _) = try await show("payload.a == x", without: ["predicate="])
        #expect(alone.errors == "No events match; 512,000 are stored, none where payload.a == x.\n")
    }

    @Test func `a value is asked for as it is, and shown without control characters`() async throws {
        let (run, requests) = try await show("payload.a == \"x\ny\" and id == 0", without: ["id%20%3D%3D%200"])
        #expect(run.errors == "No events match; 512,000 are stored, none where id == 0.\n")
        #expect(requests.contains { $0.target.hasSuffix("predicate=payload.a%20%3D%3D%20%22x%0Ay%22&n=1") })
    }

    @Test func `where each part has events it says only how many there are`() async throws {
        let (run, _) = try await show("-S-5m", "--subsystem", "a", without: ["since="])
        #expect(run.errors == "No events match; 512,000 are stored.\n")
        #expect(run.status == .no)
    }

    @Test(arguments: [
        ("-S-2s", "the newest of 2026-11-20 15:00:06Z"), ("-U 2026-10-01", "the oldest of 2026-11-01 00:00:00Z"),
    ])
    func `a range beyond what is stored is reported as such`(option: String, fact: String) async throws {
        let (run, _) = try await show(option, without: ["since=", "until="])
        #expect(run.errors == "No events match; 512,000 are stored, \(fact).\n")
    }

    @Test(arguments: ["short", "json", "ndjson"])
    func `whatever is written, nothing found is 1`(format: String) async throws {
        let (run, _) = try await show("-o", format, "--pid", "1", without: ["pid="])
        #expect(run.status == .no)
        #expect(run.output == (format == "json" ? "[]\n" : ""))
        #expect(run.errors == "No events match; 512,000 are stored, none with pid 1.\n")
        let (found, _) = try await show("-o", format, "--pid", "1", without: [])
        #expect(found.status == .done)
        #expect(found.errors.isEmpty)
    }

    @Test func `gaps alone are no events`() async throws {
        let gap = Array(#"{"type":"gap","id":4,"after":1,"cause":"deleted","time":"2026-11-21T01:00:00Z"}"#.utf8)
        for format in ["ndjson", "json"] {
            let (run, _) = try await ask("show", "-o", format) { try Fixture.answer($0, [gap]) }
            #expect(run.status == .no)
            #expect(run.output.contains("deleted"))
            #expect(run.errors == "No events match; 512,000 are stored.\n")
        }
    }

    @Test func `an empty store is reported as empty`() async throws {
        let text = String(decoding: try Fixture.bytes("status-running.json"), as: UTF8.self)
        let empty = Array(text.replacing(#""stored": 512000"#, with: #""stored": 0"#).utf8)
        let (run, requests) = try await ask("show", "--subsystem", "a") { request in
            request.target == "/v1/status" ? .document(empty) : .lines([])
        }
        #expect(run.errors == "No events match: none are stored.\n")
        #expect(run.status == .no)
        #expect(requests.count == 2)
    }

    @Test func `a request for zero events does not report that none match`() async throws {
        let (run, _) = try await ask("show", "-n", "0") { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
    }

    @Test func `without a status it still says that nothing matches`() async throws {
        let (run, _) = try await ask("show") { $0.target == "/v1/status" ? .problem(500, "") : .lines([]) }
        #expect(run.status == .no)
        #expect(run.errors == "No events match.\n")
    }

    @Test(arguments: [["event", "99"], ["definitions", "show", "a/b"]])
    func `what is asked for by name and is not there is 1`(arguments: [String]) async throws {
        let daemon = try FakeDaemon { (try? Fixture.answer($0, [])) ?? .problem(500, "") }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + arguments)
        #expect(run.status == .no)
        #expect(run.output.isEmpty)
        #expect(!run.errors.isEmpty)
    }

    @Test(arguments: ["gaps", "definitions versions"])
    func `an empty list of what there is is an answer`(command: String) async throws {
        let documents = [
            "/v1/gaps": #"{"gaps":[]}"#,
            "/v1/dictionaries/shop/versions": #"{"dictionary":"shop","current":"","versions":[]}"#,
        ]
        let daemon = try FakeDaemon { request in
            if let document = documents[request.target] { return .document(Array(document.utf8)) }
            return (try? Fixture.answer(request, [])) ?? .problem(500, "")
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + command.split(separator: " ").map(String.init))
        #expect(run.status == .done, "\(run.errors)")
        #expect(run.output.hasPrefix("No "))
    }

    @Test(arguments: [
        "status", "show", "tail", "event", "definitions", "definitions list", "definitions show", "search",
        "definitions versions", "report", "gaps", "verify", "reload", "emit",
    ])
    func `every command's help says what its exit status means`(command: String) async {
        let run = await Run.glossctl(command.split(separator: " ").map(String.init) + ["--help"], width: 200)
        #expect(run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(Outcome.help))
    }
}
