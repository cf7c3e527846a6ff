@testable import API
import Foundation
import Testing

@testable import Control

@Suite struct LookUpCommandTests {
    @Test func `an event is shown, or reported as missing`() async throws {
        let (run, _) = try await ask("event", "10") { try Fixture.answer($0, []) }
        #expect(run.status == .done)
        #expect(run.output.contains("recipe_id: expected bigint, found string"))
        let (json, _) = try await ask("event", "10", "-o", "json") { try Fixture.answer($0, []) }
        #expect(Array(json.output.utf8) == (try Fixture.bytes("event-10.json")))
        let (none, _) = try await ask("event", "99") { try Fixture.answer($0, []) }
        #expect(none.status == .no)
        #expect(none.errors == "glossctl: event 99: there is no event with this id; it may have been removed\n")
    }

    @Test func `several events are shown one after the other, and those that are not there are named`() async throws {
        let (one, _) = try await ask("event", "10") { try Fixture.answer($0, []) }
        let (run, requests) = try await ask("event", "10", "98", "10", "99") { try Fixture.answer($0, []) }
        #expect(requests.map(\.target) == [10, 98, 10, 99].map { "/v1/events/\($0)" })
        #expect(run.output == one.output + "\n" + one.output)
        #expect(run.status == .no)
        #expect(
            run.errors == """
                glossctl: event 98: there is no event with this id; it may have been removed
                glossctl: event 99: there is no event with this id; it may have been removed

                """)
        let (good, _) = try await ask("event", "10", "10") { try Fixture.answer($0, []) }
        #expect(good.status == .done)
        for width in [nil, 80] {
            let (json, _) = try await ask("event", "10", "98", "10", "-o", "json", width: width) {
                try Fixture.answer($0, [])
            }
            let lines = json.output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0] == lines[1])
            #expect(json.status == .no)
        }
        let (broken, _) = try await ask("event", "10", "1", "10") { request in
            request.target.hasSuffix("/1") ? .problem(500, "disk I/O error") : try Fixture.answer(request, [])
        }
        #expect(broken.output == one.output)
        #expect(broken.errors == "glossctl: disk I/O error\n")
    }

    @Test func `gaps come page by page`() async throws {
        let gap =
            #"{"id":1,"after":9,"cause":"rate_limited","time":"2026-11-20T15:00:00.000000Z","count":1200,"certainty":"exact","#
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
        let lines = text.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[1] == lines[2] && lines[1].hasPrefix("2026-11-20 15:00:00"))
        #expect(text.output.contains("rate limited    1,200      9  journald suppressed messages"))
        let (none, _) = try await ask("gaps") { _ in .document(Array(#"{"gaps":[]}"#.utf8)) }
        #expect(none.output == "No gaps.\n")
        #expect(none.status == .done)
    }

    @Test(arguments: [
        (#""count":3210,"certainty":"exact""#, "deleted    3,210      9  gone"),
        (#""count":12,"certainty":"at_most","numbers":{"first":4711,"last":4722}"#, "deleted  at most 12      9  gone"),
        (#""certainty":"exact""#, "deleted        ?      9  gone"),
        (
            #""certainty":"exact","file":{"id":"a","path":"/j/a\u001b.journal","from":0,"to":8192}"#,
            #"?      9  gone: /j/a\u001b.journal, bytes 0 to 8192"#
        ),
    ])
    func `a gap says how many are missing as far as that is known, and where`(members: String, row: String) async throws
    {
        let gap =
            #"{"id":1,"after":9,"cause":"deleted","time":"2026-11-20T15:00:00.000000Z",\#(members),"message":"gone"}"#
        let (run, _) = try await ask("gaps") { _ in .document(Array(#"{"gaps":[\#(gap)]}"#.utf8)) }
        #expect(run.output.contains(row), "\(run.output)")
        let (json, _) = try await ask("gaps", "-o", "json") { _ in .document(Array(#"{"gaps":[\#(gap)]}"#.utf8)) }
        let sent = try JSONSerialization.jsonObject(with: Data("[\(gap)]".utf8)) as? NSArray
        #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? NSArray == sent)
    }

    @Test func `what the message says about a file is not repeated`() {
        func text(_ message: String) -> String {
            GapText.what(
                GapLine(
                    id: 1, after: 0, cause: "damaged", time: WireTime(microseconds: 0), count: 3, certainty: "at_most",
                    file: .init(id: "a", path: "/j/a.journal", from: 0, to: 10), message: message))
        }
        #expect(text("damage") == "damage: /j/a.journal, bytes 0 to 10")
        #expect(
            text("damage in /j/a.journal") == "damage in /j/a.journal: bytes 0 to 10")
        #expect(
            text("bytes 0 to 10 of /j/a.journal") == "bytes 0 to 10 of /j/a.journal")
    }
}
