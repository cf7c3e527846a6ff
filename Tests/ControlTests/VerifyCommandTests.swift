import API
import Model
import Testing

@testable import Control

@Suite struct VerifyCommandTests {
    private static let whole: JournalVerification = {
        var found = JournalVerification()
        (found.stored, found.skipped, found.duplicates, found.expired) = (512_345, 690_000, 55, 1000)
        found.unread = 12
        return found
    }()

    private static let broken: JournalVerification = {
        var found = whole
        (found.damaged, found.unexplained, found.missing, found.unexplainedNumbers) = (3, 2, 12, 1)
        (found.unread, found.unreadableFiles) = (0, 1)
        found.examples = [
            """
            not in the store: s=0000000000000000000000000000000a;i=a;b=5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596;m=f4240;\
            t=6420a1b2c3d4e
            """, "not readable: /var/log/journal/m/user\u{1B}.journal: it is damaged, or not a journal file",
        ]
        return found
    }()

    private func lines(_ found: JournalVerification) -> [[UInt8]] {
        var writer = StreamLineWriter()
        writer.append(found, percent: 0)
        writer.append(found, percent: 42.04)
        writer.append(found)
        return writer.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    @Test func `a journal that is accounted for is shown, and the status is 0`() async throws {
        let (run, requests) = try await ask("verify") { [self] _ in .lines(lines(Self.whole)) }
        #expect(requests == [FakeDaemon.Request(method: "GET", target: "/v1/verify")])
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
        try expectSnapshot(run.output, "verify-whole")
    }

    @Test func `what is unexplained is shown with what to do, and the status is 1`() async throws {
        let (run, _) = try await ask("verify") { [self] _ in .lines(lines(Self.broken)) }
        #expect(run.status == .no)
        #expect(
            run.errors
                == "glossctl: unexplained: 2 entries and 1 sequence number; not readable: 1 file or folder\n")
        try expectSnapshot(run.output, "verify-unexplained")
        let (unread, _) = try await ask("verify", writeLimit: 0) { [self] _ in .lines(lines(Self.broken)) }
        #expect(unread.status == .no && unread.errors == run.errors)
        let (terminal, _) = try await ask("verify", "--color", "always", width: 80) { [self] _ in
            .lines(lines(Self.broken))
        }
        try expectSnapshot(terminal.output, "verify-unexplained-80-colour")
    }

    @Test func `the time is asked for in microseconds`() async throws {
        let (run, requests) = try await ask("verify", "--since", "-5m") { [self] _ in .lines(lines(Self.whole)) }
        #expect(run.status == .done)
        #expect(requests.map(\.target) == ["/v1/verify?since=\(Run.now - 300_000_000)"])
        #expect(try VerifyQuery(urlQuery: "since=5") == VerifyQuery(sinceMicroseconds: 5))
    }

    @Test func `JSON is the daemon's last line`() async throws {
        let (run, _) = try await ask("verify", "-o", "json") { [self] _ in .lines(lines(Self.broken)) }
        #expect(run.status == .no)
        #expect(run.output == String(decoding: try #require(lines(Self.broken).last), as: UTF8.self) + "\n")
        let (whole, _) = try await ask("verify", "-o", "json") { [self] _ in .lines(lines(Self.whole)) }
        #expect(whole.status == .done)
        #expect(whole.errors.isEmpty)
    }

    @Test func `a terminal sees how far it is, on one line that goes`() async throws {
        let (run, _) = try await ask("verify", errorWidth: 80) { [self] _ in .lines(lines(Self.whole)) }
        let erasing = "\u{1B}[K"
        #expect(
            run.errors
                == "\r0.0 %, 1,203,400 entries\(erasing)\r42.0 %, 1,203,400 entries\(erasing)\r\(erasing)")
        let (narrow, _) = try await ask("verify", errorWidth: 10) { [self] _ in .lines(lines(Self.whole)) }
        #expect(narrow.errors.hasPrefix("\r0.0 %, 1…\(erasing)\r"))
        let (dumb, _) = try await ask("verify", errorWidth: 80, environment: ["TERM": "dumb"]) { [self] _ in
            .lines(lines(Self.whole))
        }
        #expect(dumb.errors.isEmpty)
    }

    @Test func `a stream without a result is a daemon that left, with another status`() async throws {
        for reply in [FakeDaemon.Reply.lines(lines(Self.whole).dropLast()), .lines([], breaksOff: true)] {
            let (run, _) = try await ask("verify") { _ in reply }
            #expect(run.status == .unreachable)
            #expect(run.output.isEmpty)
            #expect(run.errors.contains("ended the connection"))
        }
        let (other, _) = try await ask("verify") { _ in .lines([Array(#"{"type":"verification"}"#.utf8)]) }
        #expect(other.status == .unreachable)
    }

    @Test func `a failure and a refusal are reported`() async throws {
        var writer = StreamLineWriter()
        try writer.append(Problem(status: 500, title: "The store failed", detail: "the database is damaged"))
        let bytes = Array(writer.bytes.dropLast())
        let (failed, _) = try await ask("verify") { _ in .lines([bytes]) }
        #expect(failed.status == .no)
        #expect(failed.errors == "glossctl: the database is damaged\n")
        let (busy, _) = try await ask("verify") { _ in .problem(503, "only one can at a time") }
        #expect(busy.status == .no)
        #expect(busy.errors == "glossctl: only one can at a time\n")
    }
}
