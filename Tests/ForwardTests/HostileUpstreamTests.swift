import AsyncHTTPClient
import Model
import NIOCore
import TestSupport
import Testing

@testable import Forward

/// What an upstream may send instead of an answer, by real TCP to the real client.
@Suite(.timeLimit(.minutes(5))) struct HostileUpstreamTests {
    /// An upstream that misbehaves, and what must come of it.
    struct Behaviour: Sendable, CustomTestStringConvertible {
        enum Outcome: Sendable {
            /// No answer, tried again.
            case retried
            /// The same, before the attempt's time has run out.
            case failed
            /// As `failed`, for this reason.
            case failedBecause(String)
            /// The attempt's time runs out.
            case timedOut
            case answered(Int)
            /// Either, by which is seen first.
            case answeredOrRetried(Int)

            /// How long an attempt may take. Where that shows nothing, it only ends a test that hangs.
            var timeout: Duration {
                switch self {
                // The second attempt has no more.
                case .timedOut: .seconds(5)
                case .retried: .seconds(2)
                case .failed, .failedBecause, .answered, .answeredOrRetried: .seconds(30)
                }
            }
        }

        var testDescription: String
        var outcome: Outcome
        var moment = RawServer.Moment.request
        /// Of the request.
        var bytes = 9
        var isLeft = false
        var steps: [RawServer.Step]

        init(_ name: String, _ outcome: Outcome, _ steps: RawServer.Step...) {
            testDescription = name
            self.outcome = outcome
            self.steps = steps
        }

        init(_ name: String, _ outcome: Outcome, answer: String) {
            self.init(name, outcome, .text(answer))
        }

        /// The server has left, which the next attempt may find out too late.
        var leaving: Behaviour {
            var changed = self
            changed.isLeft = true
            return changed
        }

        func after(_ moment: RawServer.Moment, bytes: Int = 9) -> Behaviour {
            var changed = self
            changed.moment = moment
            changed.bytes = bytes
            return changed
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let zeros = String(repeating: "0", count: 1000)

    /// An answer with a head of so many bytes.
    private static func head(_ bytes: Int, body: String = "") -> String {
        let (start, end) = ("HTTP/1.1 200 OK\r\nX: ", "\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
        return start + String(repeating: "x", count: bytes - start.utf8.count - end.utf8.count) + end + body
    }

    private static let statuses: [Behaviour] = [
        .init("status 000", .failedBecause("status 0"), answer: "HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n"),
        .init("status 099", .failedBecause("status 99"), answer: "HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n"),
        .init("status 001 with a body", .failed, answer: "HTTP/1.1 001 x\r\nContent-Length: 2\r\n\r\nhi"),
        .init("status 000 with chunks", .failed, answer: "HTTP/1.1 000\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .init("status 000 to the end", .failed, .text("HTTP/1.1 000 x\r\n\r\nhi"), .close),
        .init("101", .failedBecause("101"), answer: "HTTP/1.1 101 Switching Protocols\r\n\r\n"),
        .init(
            "101 with an upgrade", .failedBecause("101"),
            answer: "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}"),
        .init("100 and nothing", .timedOut, answer: "HTTP/1.1 100 Continue\r\n\r\n"),
        .init(
            "100, 103, 199, then 200", .answered(200),
            answer: "HTTP/1.1 100 x\r\n\r\nHTTP/1.1 103 x\r\nLink: x\r\n\r\nHTTP/1.1 199 x\r\n\r\n" + ok),
        .init("100 with a body", .failed, answer: "HTTP/1.1 100 x\r\nContent-Length: 5\r\n\r\nhello" + ok),
        .init(
            "100s without end", .failedBecause("64 KiB"),
            .endlessly(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), every: .zero)),
        .init("100, then the end", .failed, .text("HTTP/1.1 100 x\r\n\r\n"), .close),
        .init("600", .answered(600), answer: "HTTP/1.1 600 x\r\nContent-Length: 0\r\n\r\n"),
        .init("999", .answered(999), answer: "HTTP/1.1 999 x\r\nContent-Length: 0\r\n\r\n"),
        .init("1000", .failed, answer: "HTTP/1.1 1000 x\r\nContent-Length: 0\r\n\r\n"),
        .init("-200", .failed, answer: "HTTP/1.1 -200 x\r\nContent-Length: 0\r\n\r\n"),
        .init("20", .failed, answer: "HTTP/1.1 20 x\r\nContent-Length: 0\r\n\r\n"),
        .init("no status", .failed, answer: "HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
        .init("no reason phrase", .answered(200), answer: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
        .init("an empty reason phrase", .answered(200), answer: "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"),
        .init("204", .answered(204), answer: "HTTP/1.1 204 No Content\r\n\r\n"),
        .init("204 with the length 0", .answered(204), answer: "HTTP/1.1 204 x\r\nContent-Length: 0\r\n\r\n"),
        .init("204 with a body", .failedBecause("204"), answer: "HTTP/1.1 204 x\r\nContent-Length: 5\r\n\r\nhello"),
        .init(
            "204 with chunks", .failedBecause("204"),
            answer: "HTTP/1.1 204 x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .init(
            "204 with a body that is not announced", .failedBecause("do not belong"),
            answer: "HTTP/1.1 204 x\r\n\r\nhello"),
        .init("304", .answered(304), answer: "HTTP/1.1 304 x\r\nContent-Length: 5\r\n\r\n"),
        .init("304 with a body", .failed, answer: "HTTP/1.1 304 x\r\nContent-Length: 5\r\n\r\nhello"),
        .init("205 with a body", .answered(205), answer: "HTTP/1.1 205 x\r\nContent-Length: 5\r\n\r\nhello"),
    ]

    private static let framing: [Behaviour] = [
        .init("two lengths", .failed, answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nhello"),
        .init(
            "a length and chunks", .failed,
            answer: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .init("a negative length", .failed, answer: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        .init("a length of 2^64", .failed, answer: "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n"),
        .init("a length of 2^63", .timedOut, answer: "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n"),
        .init("a length that is no number", .failed, answer: "HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello"),
        .init("a length that is too long", .timedOut, answer: "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello"),
        .init("a length that is too short", .failed, answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhello"),
        .init(
            "a chunk size that is no number", .failed,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"),
        .init(
            "a negative chunk size", .failed,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"),
        .init(
            "a chunk size beyond 64 bits", .failed,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
        .init(
            "a chunk that is longer than its size", .failed,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n"),
        .init(
            "chunks without the last", .failed,
            .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .close),
        .init(
            "chunks and trailers", .answered(200),
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n"),
        .init(
            "4,000 chunks of a byte, with sizes of 16 digits", .answered(200),
            answer: chunked + String(repeating: "0000000000000001\r\nx\r\n", count: 4000) + "0\r\n\r\n"),
        .init(
            "small chunks without end", .answered(200), .text(chunked),
            .endlessly(Array(String(repeating: "000000000000000a\r\n0123456789\r\n", count: 50).utf8), every: .zero)),
        .init(
            "chunks with long extensions without end", .failedBecause("64 KiB"), .text(chunked),
            .endlessly(Array("1;\(zeros)\r\nx\r\n".utf8), every: .zero)),
        .init(
            "another transfer encoding", .timedOut,
            answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
        .init(
            "trailers without end", .failed, .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
            .endlessly(Array("X: y\r\n".utf8), every: .zero)),
        .init(
            "a chunk extension without end", .failedBecause("64 KiB"),
            .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;"),
            .endlessly(Array(zeros.utf8), every: .zero)),
        .init(
            "headers without end", .failed, .text("HTTP/1.1 200 OK\r\n"),
            .endlessly(Array("X: \(zeros)\r\n".utf8), every: .zero)),
        .init(
            "a header without end", .failed, .text("HTTP/1.1 200 OK\r\nX: "),
            .endlessly(Array(zeros.utf8), every: .zero)),
        .init(
            "a status line without end", .failedBecause("64 KiB"), .text("HTTP/1.1 200 "),
            .endlessly(Array(zeros.utf8), every: .zero)),
        .init(
            "line breaks without end", .failedBecause("64 KiB"),
            .endlessly(Array(String(repeating: "\r\n", count: 500).utf8), every: .zero)),
        .init(
            "a header of 60,000 bytes", .answered(200),
            answer: "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 60_000))\r\nContent-Length: 0\r\n\r\n"),
        .init("a head of 64 KiB", .answered(200), answer: head(65_536)),
        .init("a head of 64 KiB and a body", .answered(200), answer: head(65_536, body: "hello")),
        .init("a head of a byte more", .failedBecause("64 KiB"), answer: head(65_537)),
        .init("a head of a byte more and a body", .failedBecause("64 KiB"), answer: head(65_537, body: "hello")),
        .init("a head of 75,000 bytes", .failedBecause("64 KiB"), answer: head(75_000, body: "hello")),
        .init("a header without a colon", .failed, answer: "HTTP/1.1 200 OK\r\nhello\r\n\r\n"),
        .init("a header without a name", .failed, answer: "HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 0\r\n\r\n"),
        .init("a NUL in a header", .failed, answer: "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n"),
        .init("a head that is cut short", .failed, .text("HTTP/1.1 200 OK\r\nContent-Le"), .close),
        .init("a body to the end", .answered(200), .text("HTTP/1.1 200 OK\r\n\r\nhello"), .close),
        .init(
            "compressed", .answered(503),
            answer: "HTTP/1.1 503 x\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n\u{1F}\u{8}ell"),
    ]

    private static let protocols: [Behaviour] = [
        .init("HTTP/0.9", .failed, .text("hello, world\n"), .close),
        .init("HTTP/1.0", .answered(200), .text("HTTP/1.0 200 OK\r\n\r\nhello"), .close),
        .init("HTTP/2.0 in the status line", .failed, answer: "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
        .init("HTTP/9.9", .failed, answer: "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
        .init("the HTTP/2 preface", .failed, answer: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        .init("HTTP/2 frames", .failed, .send([0, 0, 0, 4, 0, 0, 0, 0, 0])),
        .init("a TLS alert", .failed, .send([0x15, 3, 3, 0, 2, 2, 70])),
        .init("a request", .failed, answer: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        .init("SSH", .failed, answer: "SSH-2.0-OpenSSH_9.2p1\r\n"),
        .init("NULs", .failed, .send([UInt8](repeating: 0, count: 1000))),
        .init("0xFF without end", .failed, .endlessly([UInt8](repeating: 0xFF, count: 1000), every: .zero)),
        .init("nothing", .timedOut),
        .init("two answers in one segment", .failedBecause("do not belong"), answer: ok + ok),
        .init("an answer and a half", .failedBecause("do not belong"), answer: ok + "HTTP/1.1 200 OK\r\nContent-Le"),
        .init("an answer and a line break", .failedBecause("do not belong"), answer: ok + "\r\n"),
        .init("the end at once", .failed, .close),
        .init("half an end at once", .failed, .halfClose),
        .init("RST at once", .failed, .reset),
        .init("RST in a body", .failed, .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .reset),
        .init(
            "half an end in a body", .failed, .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .halfClose),
        .init("a half end behind the answer", .answered(200), .text(ok), .halfClose).leaving,
        .init(
            "a trickle", .timedOut, .text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
            .endlessly([0x78], every: .milliseconds(50))),
        .init(
            "a trickle of headers", .timedOut, .text("HTTP/1.1 200 OK\r\n"),
            .endlessly(Array("X: y\r\n".utf8), every: .milliseconds(50))),
        .init(
            "every byte by itself", .answered(200), .text("H"), .pause(.milliseconds(20)), .text("TTP/1.1 200 OK\r"),
            .pause(.milliseconds(20)), .text("\nContent-Length: 1\r\n\r"), .pause(.milliseconds(20)), .text("\n"),
            .pause(.milliseconds(20)), .text("x")),
        .init("200 before the body is sent", .failed, .text(ok)).after(.firstBytes, bytes: 20_000_000),
        // Closing the connection that it is still sending on may cost the client the answer.
        .init(
            "413 before the body is sent", .answeredOrRetried(413), .text("HTTP/1.1 413 x\r\nContent-Length: 0\r\n\r\n")
        ).after(
            .firstBytes, bytes: 20_000_000),
        .init("RST before the body is sent", .failed, .reset).after(.firstBytes, bytes: 20_000_000),
        .init("the body is never read", .retried).after(.firstBytes, bytes: 20_000_000),
        .init("garbage before the request", .retried, .text("hello\r\n\r\n")).after(.connection),
        .init("000 before the request", .retried, answer: "HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n").after(
            .connection),
        .init("the end before the request", .retried, .close).after(.connection),
    ]

    private func batch(_ bytes: Int = 9) -> FrozenBatch {
        FrozenBatch(
            sink: "upstream", key: "0123456789abcdef0123456789abcdef", body: [UInt8](repeating: 0x0A, count: bytes),
            contentEncoding: nil, firstEventID: 1, lastEventID: 1, eventCount: 1)
    }

    private func expect(_ result: AttemptResult, _ outcome: Behaviour.Outcome) {
        switch (outcome, result) {
        case (.retried, .unanswered), (.answeredOrRetried, .unanswered): break
        case (.failed, .unanswered(let reason)):
            #expect(!reason.contains("no complete answer in time"), "\(reason)")
        case (.failedBecause(let words), .unanswered(let reason)):
            #expect(reason.contains(words), "\(reason)")
        case (.timedOut, .unanswered(let reason)):
            #expect(reason.contains("no complete answer in time"), "\(reason)")
        case (.answered(let expected), .answered(let status, _, let excerpt)),
            (.answeredOrRetried(let expected), .answered(let status, _, let excerpt)):
            #expect(status == expected)
            #expect(!excerpt.contains("\u{FFFD}"))
        default:
            Issue.record("\(result)")
        }
        switch outcome {
        case .answered, .answeredOrRetried: break
        default: #expect(Verdict(result) == .retry(atLeast: nil))
        }
    }

    /// The second attempt must find the client in order: it gets a proper answer.
    @Test(arguments: statuses + framing + protocols)
    func `whatever an upstream sends is an answer or a failed attempt`(behaviour: Behaviour) async throws {
        try await RawServer.with(after: behaviour.moment, { $0 == 0 ? behaviour.steps : [.text(Self.ok)] }) { server in
            let upstream = try HTTPUpstream(
                .sample(url: server.url) { $0.timeout = behaviour.outcome.timeout }, userAgent: "gloss/1.0")
            expect(await upstream.send(batch(behaviour.bytes)), behaviour.outcome)
            guard behaviour.moment == .request, !behaviour.isLeft else { return upstream.close() }
            let second = await upstream.send(batch())
            #expect(second == .status(200))
            upstream.close()
        }
    }

    @Test func `the guard stands behind TLS, too`() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try Certificates(in: folder)
            let answers = ["HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n", Self.ok + Self.ok, Self.ok, Self.ok]
            try await RawServer.with(tls: certificates.server, { [.text(answers[min($0, 3)])] }) { server in
                let upstream = try HTTPUpstream(
                    .sample(url: server.url) { $0.caFile = certificates.authority }, userAgent: "gloss/1.0")
                expect(await upstream.send(batch()), .failedBecause("status 0"))
                expect(await upstream.send(batch()), .failedBecause("do not belong"))
                expect(await upstream.send(batch()), .answered(200))
                expect(await upstream.send(batch(3_000_000)), .answered(200))
                upstream.close()
            }
        }
    }

    @Test func `bytes behind an answer do not become the next one`() async throws {
        let refusal = "HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n"
        try await RawServer.with({ [.text($0 == 0 ? Self.ok : refusal)] }) { server in
            let upstream = try HTTPUpstream(.sample(url: server.url), userAgent: "gloss/1.0")
            expect(await upstream.send(batch()), .answered(200))
            // If the client asked again before it has seen the bytes, nothing would distinguish them from the answer.
            try await server.interject(Self.ok)
            expect(await upstream.send(batch()), .answered(503))
            upstream.close()
        }
    }

    /// What the guard is for. When this fails, AsyncHTTPClient has been repaired: see the guard.
    @Test func `without the guard a status of 000 ends the process`() async {
        await #expect(processExitsWith: .failure) {
            try await RawServer.with({ _ in [.text("HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n")] }) { server in
                let client = HTTPClient()
                _ = try? await client.execute(HTTPClientRequest(url: server.url), timeout: .seconds(10))
                try await client.shutdown()
            }
        }
    }
}
