import API
import Testing

@testable import Control

@Suite struct StatusCommandTests {
    @Test(arguments: [
        ("running", Outcome.done, ""),
        ("catching-up", .no, "glossctl: sink backup is held: 401: the token is not valid\n"),
        (
            "degraded", .no,
            "glossctl: glossd is degraded: 2 journal files cannot be read\n"
                + "sink backup is held: 401: the token is not valid\n"
        ),
    ])
    func `status ends with 1 when something is wrong`(state: String, status: Outcome, errors: String) async throws {
        for format in ["text", "json"] {
            let reply = try Fixture.bytes("status-\(state).json")
            let (run, _) = try await ask("status", "-o", format) { _ in .document(reply) }
            #expect(run.status == status)
            #expect(run.errors == errors)
            #expect(!run.output.isEmpty)
            if format == "json" { #expect(Array(run.output.utf8).starts(with: reply)) }
        }
    }

    @Test func `a dictionary that is not loaded anew says why, once`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-degraded.json").dictionaries[0]
        let facts = DictionaryFacts(style: Style())
        #expect(facts.facts(status).map(\.value).contains("not loaded anew"))
        var never = status
        (never.loadedAt, never.version) = (nil, nil)
        #expect(facts.facts(never).first?.value.hasSuffix(", never loaded") == true)
        #expect(facts.facts(never).map(\.value).contains("not loaded"))
        status.problems = []
        status.problemsOmitted = 0
        status.problem = "./definitions: Permission denied"
        #expect(facts.facts(status).map(\.value).last == "not loaded anew: ./definitions: Permission denied")
    }

    @Test func `the reasons are one line each, however many lines they have`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-running.json")
        status.state = .degraded
        status.problems = [.init(what: "Dictionary shop: a.md:1: error\na.md:2: error\u{1B}"), .init(what: "b")]
        #expect(
            StatusCommand.troubles(status)
                == [#"glossd is degraded: Dictionary shop: a.md:1: error; a.md:2: error\u001b; b"#])
    }

    @Test func `private values that are revealed are said to be, before all else`() throws {
        let status = try Fixture.decoded(StatusReply.self, "status-degraded.json")
        let lines = StatusRenderer(style: Style(isColoured: true), now: Run.now).text(status).split(separator: "\n")
        #expect(lines[1].hasPrefix("  \u{1B}[31mprivacy: reveal"))
    }

    @Test func `a refused reload ends with 1 and shows the errors`() async throws {
        let (run, requests) = try await ask("reload") { _ in
            .problem(409, #"gloss.yaml:3: unknown key\nold settings stay"#)
        }
        #expect(requests == [FakeDaemon.Request(method: "POST", target: "/v1/reload")])
        #expect(run.status == .no)
        #expect(run.errors == "glossctl: gloss.yaml:3: unknown key\nold settings stay\n")
    }
}
