import Foundation
import Testing

@testable import Control

@Suite struct TailCommandTests {
    @Test func `without reconnecting, tail ends with 3 when the daemon goes away`() async throws {
        let lines = try Fixture.lines("events.ndjson")
        let (run, requests) = try await ask("tail", "--no-reconnect", "-o", "ndjson") { _ in .lines(lines) }
        #expect(requests.map(\.target) == ["/v1/events?n=10&follow=true"])
        #expect(Array(run.output.utf8) == joined(lines))
        #expect(run.status == .unreachable)
        #expect(run.errors.contains("ended the connection"))
    }

    @Test func `a tail of all since a time begins before the first event`() async throws {
        let (_, requests) = try await ask("show", "-f", "--no-reconnect", "--since", "-5m") { _ in .lines([]) }
        #expect(requests.map(\.target) == ["/v1/events?since=1795186510000000&after=0&follow=true"])
    }

    @Test func `a tail that is interrupted ends as done, with each line written at once`() async throws {
        let lines = try Fixture.lines("events.ndjson")
        let daemon = try FakeDaemon { _ in .endless(lines) }
        defer { daemon.stop() }
        let (written, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let console = Console(
            environment: ["GLOSS_SOCKET": daemon.socket], output: ByteSink { continuation.yield($0) },
            errors: ByteSink { _ in }, now: { Run.now })
        let task = Task { await Glossctl.run(["tail", "--no-reconnect", "-o", "ndjson"], on: console) }
        var bytes = 0
        for await piece in written {
            bytes += piece.count
            if bytes == lines.reduce(0, { $0 + $1.count + 1 }) { break }
        }
        task.cancel()
        #expect(await task.value == .done)
    }

    @Test(arguments: [["tail"], ["show", "-f"]])
    func `an array would never end`(arguments: [String]) async {
        let run = await Run.glossctl(arguments + ["-o", "json"])
        #expect(run.status == .wrongUsage)
        #expect(
            run.errors
                == "glossctl: following never ends, and so would the array of -o json: use -o ndjson\n")
    }

    @Test(arguments: ["cat", "short-iso", "short", "csv", "markdown"])
    func `tail has the formats of show`(format: String) async throws {
        let lines = Array(try Fixture.lines("events.ndjson").prefix(3))
        let (tail, _) = try await ask("tail", "--no-reconnect", "-o", format) { request in
            request.target.hasPrefix("/v1/events") ? .lines(lines) : try Fixture.answer(request, lines)
        }
        let (show, _) = try await ask("show", "-o", format) { try Fixture.answer($0, lines) }
        #expect(tail.output == show.output)
        #expect(!tail.output.isEmpty)
    }

    @Test(arguments: [["tail", "--late", "--no-reconnect"], ["show", "-f", "--no-reconnect", "--late", "-n", "10"]])
    func `events that are older than the tail are asked for`(arguments: [String]) async throws {
        let daemon = try FakeDaemon { _ in .lines([]) }
        defer { daemon.stop() }
        _ = await Run.glossctl(["--socket", daemon.socket] + arguments)
        #expect(daemon.requests.map(\.target) == ["/v1/events?n=10&follow=true&late=true"])
    }

    @Test func `what a tail left out as late is reported, in words and as the daemon wrote it`() async throws {
        let lines = [12, 1].map { Array(#"{"type":"late","count":\#($0)}"#.utf8) }
        let (text, _) = try await ask("tail", "--no-reconnect") { _ in .lines(lines) }
        #expect(
            text.output == """
                -- late: 12 events are older than this tail: --late shows them
                -- late: 1 event is older than this tail: --late shows it

                """)
        let (json, _) = try await ask("tail", "--no-reconnect", "-o", "ndjson") { _ in .lines(lines) }
        #expect(Array(json.output.utf8) == joined(lines))
    }
}
