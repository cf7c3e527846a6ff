import API
import Model
import Testing

@testable import Control

@Suite struct StatusCommandTests {
    @Test(arguments: [
        ("running", Outcome.done, ""),
        ("catching-up", .no, "glossctl: glossd is catching-up: sink backup is held: 401: the token is not valid\n"),
        ("degraded", .no, "glossctl: glossd is paused: 5 problems\n"),
    ])
    func `status ends with 1 when something is wrong`(state: String, status: Outcome, errors: String) async throws {
        let reply = try Fixture.bytes("status-\(state).json")
        let (text, _) = try await ask("status") { _ in .document(reply) }
        #expect(text.status == status)
        #expect(text.errors == errors)
        #expect(!text.output.isEmpty)
        let (json, _) = try await ask("status", "-o", "json") { _ in .document(reply) }
        #expect(json.status == status)
        #expect(json.errors.isEmpty == text.errors.isEmpty)
        #expect(Array(json.output.utf8).starts(with: reply))
    }

    @Test(arguments: ["status", "status -o json", "doctor"])
    func `a status is the same if nobody reads the output`(line: String) async throws {
        let reply = try Fixture.bytes("status-degraded.json")
        let daemon = try FakeDaemon {
            $0.target == APIPath.status ? .document(reply) : .problem(404, "no")
        }
        defer { daemon.stop() }
        let words = ["--socket", daemon.socket] + line.split(separator: " ").map(String.init)
        let run = await Run.glossctl(words, writeLimit: 0)
        #expect(run.status == .no && run.output.isEmpty && !run.errors.isEmpty)
    }

    /// With output for programs, the reasons go to stderr for people.
    @Test func `each problem is printed once, in the text or beside the document`() async throws {
        let reply = try Fixture.bytes("status-degraded.json")
        let problems = [
            "its limit of 1073741824 bytes is reached", "/var/log/journal/x/system.journal: Permission denied",
            "error [unknown-type]", "error [list-in-paragraph]", "401: the token is not valid",
            "privacy is set to reveal",
        ]
        let (text, _) = try await ask("status") { _ in .document(reply) }
        let (json, _) = try await ask("status", "-o", "json") { _ in .document(reply) }
        for problem in problems {
            let words = text.output.split { $0.isWhitespace }.joined(separator: " ") + text.errors
            #expect(words.split(separator: problem, omittingEmptySubsequences: false).count == 2, "\(problem)")
            #expect(json.errors.split(separator: problem, omittingEmptySubsequences: false).count == 2, "\(problem)")
        }
    }

    @Test(arguments: [
        (80, "glossd 0.1.0 running, up 1 d 2 h, pid 812, 1 tail open"),
        (45, "glossd 0.1.0 running, up 1 d 2 h, pid 812,\n  1 tail open"),
        (30, "glossd 0.1.0 running,\n  up 1 d 2 h, pid 812,\n  1 tail open"),
    ]) func `the first line is continued where the terminal is too narrow`(width: Int, heading: String) throws {
        let status = try Fixture.decoded(StatusReply.self, "status-running.json")
        let text = StatusRenderer(style: Style(width: width), now: Run.now).text(status)
        #expect(text.hasPrefix("\(heading)\n\nJournal\n"))
    }

    @Test func `while reading is paused, no time is left`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-catching-up.json")
        #expect(StatusRenderer(style: Style(), now: Run.now).text(status).contains("12 s left"))
        status.state = .paused
        let text = StatusRenderer(style: Style(), now: Run.now).text(status)
        #expect(text.contains("42.3 % paused\n"))
        #expect(!text.contains(" left"))
    }

    @Test func `what is stored stands apart from all that was ever seen`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        let lines = StatusRenderer(style: Style(), now: Run.now).text(status).split(separator: "\n").map(String.init)
        let ever = try #require(lines.firstIndex { $0.contains("Ever seen") })
        #expect(lines[ever - 1].contains("Stored") && lines[ever - 1].contains("512,000, from "))
        #expect(lines[ever].hasSuffix("512,345 since the store was created:"))
        #expect(lines[ever + 1].hasPrefix("    resolved "))
        status.events = nil
        #expect(StatusRenderer(style: Style(), now: Run.now).text(status).contains("unknown: the store cannot be read"))
    }

    @Test func `what became of the entries stands beside how many were read since the start`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        func lines() -> [String] {
            let text = StatusRenderer(style: Style(), now: Run.now).text(status)
            return text.split(separator: "\n").drop { !$0.contains("Read ") }.prefix(2).map(String.init)
        }
        #expect(
            lines() == [
                "  Read      1,203,400 entries: 35,750 stored, 1,167,650 skipped, 0 duplicates, 0 expired",
                "            1,234,567 since the start, 12/s",
            ])
        let entries = try #require(status.journal.entries)
        #expect(entries.read == entries.stored + entries.skipped + entries.duplicates + entries.expired)
        status.journal.entries = nil
        #expect(lines() == ["  Read      1,234,567 entries since the start, 12/s", "Events"])
    }

    @Test func `a dictionary with errors says what they concern, and why, once`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-degraded.json").dictionaries[0]
        let facts = DictionaryFacts(style: Style())
        let state = "definitions with errors are in force as they were, or not at all"
        #expect(facts.facts(status).map(\.value).contains(state))
        var never = status
        (never.loadedAt, never.version) = (nil, nil)
        #expect(facts.facts(never).first?.value.hasSuffix(", never loaded") == true)
        #expect(facts.facts(never).map(\.value).contains("not loaded"))
        status.problems = []
        status.problemsOmitted = 0
        status.problem = "./definitions: Permission denied"
        #expect(
            facts.facts(status).map(\.value).suffix(2) == [state, "./definitions: Permission denied"])
    }

    @Test func `the reasons are one line each, however many lines they have`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.state = .degraded
        status.problems = [
            .init(.dictionaryBroken, what: "Dictionary shop: a.md:1: error\na.md:2: error\u{1B}"),
            .init(.dictionaryBroken, what: "b"),
        ]
        #expect(
            StatusCommand.failure(status, isListed: false)
                == #"glossd is degraded: Dictionary shop: a.md:1: error; a.md:2: error\u001b; b"#)
        #expect(StatusCommand.failure(status, isListed: true) == "glossd is degraded: 2 problems")
    }

    @Test func `a refused reload ends with 1 and shows the errors`() async throws {
        let (run, requests) = try await ask("reload") { _ in
            .problem(409, #"gloss.yaml:3: unknown key\nold settings stay"#)
        }
        #expect(requests == [FakeDaemon.Request(method: "POST", target: "/v1/reload")])
        #expect(run.status == .no)
        #expect(run.errors == "glossctl: gloss.yaml:3: unknown key\nold settings stay\n")
    }

    @Test(arguments: ["text", "json"])
    func `a reload with errors in definitions shows what took effect and the errors, and ends with 1`(
        output: String
    ) async throws {
        let error = "definitions/a.md:3:1: error [unknown-type]: there is no type `!int`"
        let reply =
            #"{"changes":["shop: 1 definition added"],"errors":["\#(error)"],"warnings":[],"dictionaries":[]}"#
        let (run, _) = try await ask("reload", "-o", output) { _ in .document(Array(reply.utf8)) }
        #expect(run.status == .no)
        #expect(run.output.contains("1 definition added") && run.output.contains(error), "\(run.output)")
        #expect(
            run.errors == "glossctl: definitions with errors stay as they were, or are not in force: correct them\n")
    }
}
