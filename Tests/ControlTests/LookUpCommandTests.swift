import Testing

@testable import Control

@Suite struct LookUpCommandTests {
    @Test func `an event is shown, or said not to be there`() async throws {
        let (run, _) = try await ask("event", "10") { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        #expect(run.output.contains("recipe_id: expected bigint, found string"))
        let (json, _) = try await ask("event", "10", "-o", "json") { try Fixture.answer($0, []) }
        #expect(Array(json.output.utf8) == (try Fixture.bytes("event-10.json")))
        let (none, _) = try await ask("event", "99") { try Fixture.answer($0, []) }
        #expect(none.status == .no)
        #expect(none.errors == "glossctl: there is no event with this id\n")
    }

    @Test func `gaps come page by page`() async throws {
        let gap =
            #"{"id":1,"after":9,"cause":"rate_limited","time":"2026-11-20T15:00:00.000000Z","count":1200,"#
            + #""message":"journald suppressed messages"}"#
        let answer: @Sendable (FakeDaemon.Request) -> FakeDaemon.Reply = { request in
            switch request.target {
            case "/v1/gaps": .document(Array(#"{"gaps":[\#(gap)],"next":1}"#.utf8))
            case "/v1/gaps?after=1": .document(Array(#"{"gaps":[\#(gap)]}"#.utf8))
            default: .problem(404, "not found")
            }
        }
        let (ndjson, _) = try await ask("gaps", "-o", "ndjson", answer: answer)
        #expect(ndjson.output.split(separator: "\n").count == 2)
        let (text, _) = try await ask("gaps", answer: answer)
        #expect(text.output.contains("2026-11-20 15:00:00"))
        #expect(text.output.contains("rate limited    1,200      9  journald suppressed messages"))
        let (none, _) = try await ask("gaps") { _ in .document(Array(#"{"gaps":[]}"#.utf8)) }
        #expect(none.output == "No gaps.\n")
        #expect(none.status == .done)
    }
}
