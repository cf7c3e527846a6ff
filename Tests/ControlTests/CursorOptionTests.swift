import API
import Foundation
import Model
import TestSupport
import Testing

@testable import Control

struct CursorOptionTests {
    private func run(_ arguments: [String], finding lines: [[UInt8]]) async throws -> (Run, [String]) {
        let events = try Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { request in
            .lines(request.target.contains("until=") ? lines : events)
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket, "show", "-o", "ndjson"] + arguments)
        if let first = daemon.requests.first(where: { $0.target.contains("until=") }) {
            #expect(first.target.hasSuffix("&members=type%2Cid%2Ctime%2Ccursor%2Clevel%2Cresolution"), "\(first)")
        }
        return (run, daemon.requests.map(\.question))
    }

    @Test func `a range begins at or after the event of a cursor`() async throws {
        let line = try Fixture.lines("events.ndjson")[0]
        let event = try EventLine.parse(line)
        // The numbers of an entry change when the journal is flushed.
        let cursor = event.cursor.replacing(/^s=[0-9a-f]+;i=[0-9a-f]+/, with: "s=000000000000000000000000000000ff;i=1")
        let other = try Fixture.lines("events.ndjson")[1]
        for (option, after) in [("--after-cursor", event.id), ("--cursor", event.id - 1)] {
            let (run, asked) = try await run([option, cursor], finding: [other, line])
            #expect(run.status == .done && run.errors.isEmpty)
            let time = try #require(JournalCursor(cursor)).realtimeMicroseconds
            #expect(
                asked
                    == [
                        "/v1/events?since=\(time)&until=\(time)&boot=\(event.bootID)&n=all&order=oldest",
                        "/v1/events?n=all&order=oldest&after=\(after)",
                    ])
        }
    }

    @Test func `where its event is not stored, a range begins at the time of a cursor`() async throws {
        let event = try EventLine.parse(try Fixture.lines("events.ndjson")[0])
        let (found, asked) = try await run(["-c", event.cursor, "--since", "@1"], finding: [])
        #expect(
            found.status == .done
                && found.errors == "glossctl: no stored event has this cursor; beginning at its time\n")
        #expect(
            asked.last
                == "/v1/events?since=\(try #require(JournalCursor(event.cursor)).realtimeMicroseconds)&n=all&order=oldest"
        )
        let (_, some) = try await run(["--after-cursor", event.cursor, "-n", "3"], finding: [])
        #expect(some.last?.hasSuffix("&n=3&order=oldest&after=0") == true, "\(some)")
    }

    @Test func `a search for the event of a cursor that fails does not mean that it is not stored`() async throws {
        let events = try Fixture.lines("events.ndjson")
        let cursor = try EventLine.parse(events[0]).cursor
        let problem = #"{"type":"about:blank","title":"The store is busy","status":503}"#
        let busy = Array(#"{"type":"error","problem":\#(problem)}"#.utf8)
        let (run, asked) = try await run(["--after-cursor", cursor], finding: [events[1], busy])
        #expect(run.status == .no && run.errors == "glossctl: The store is busy\n" && run.output.isEmpty)
        #expect(asked.count == 1)
    }

    @Test func `what is no cursor is said`() async throws {
        let cursor = try EventLine.parse(try Fixture.lines("events.ndjson")[0]).cursor
        for arguments in [
            ["--cursor", "x"], ["--cursor", cursor, "--after-cursor", cursor], ["-n", "+5", "--cursor", cursor],
            ["-f", "-n", "5", "--after-cursor", cursor],
        ] {
            let run = await Run.glossctl(["--socket", "/nowhere", "show"] + arguments)
            #expect(run.status == .wrongUsage)
        }
    }
}
