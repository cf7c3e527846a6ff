import Model
import Testing

@testable import Forward

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    private let batch = FrozenBatch(
        sink: "upstream", key: "0123456789abcdef0123456789abcdef", body: Array("{\"id\":1}\n".utf8),
        contentEncoding: nil,
        firstEventID: 1, lastEventID: 1, eventCount: 1)

    private func attempt(_ url: String, authority: String?) async throws -> AttemptResult {
        let upstream = try HTTPUpstream(.sample(url: url) { $0.caFile = authority }, userAgent: "gloss/1.0")
        let result = await upstream.send(batch)
        upstream.close()
        return result
    }

    @Test func `a certificate is trusted by the CA file and by nothing less`() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try Certificates(in: folder)
            let server = try await LoopbackServer.start(.status(200), tls: certificates.server)
            #expect(try await attempt(server.url, authority: certificates.authority) == .status(200))

            let untrusted = try await attempt(server.url, authority: nil)
            #expect(untrusted.reason.contains("the certificate is not trusted"))
            #expect(Verdict(untrusted) == .retry(atLeast: nil))

            try await withTemporaryFolder { other in
                let wrong = try await attempt(server.url, authority: try Certificates(in: other).authority)
                #expect(wrong.reason.contains("the certificate is not trusted"))
                #expect(Verdict(wrong) == .retry(atLeast: nil))
            }
            await server.stop()
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a certificate for another host is not accepted`() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try Certificates(in: folder, host: "DNS:logs.example.com")
            let server = try await LoopbackServer.start(.status(200), tls: certificates.server)
            let result = try await attempt(server.url, authority: certificates.authority)
            await server.stop()
            #expect(result.reason.contains("the certificate is for another host"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a server that does not speak TLS is said in words`() async throws {
        let server = try await LoopbackServer.start(.status(200))
        let result = try await attempt("https://127.0.0.1:\(server.port)/", authority: nil)
        await server.stop()
        #expect(result.reason.contains("does not speak TLS"))
    }

    @Test func `a CA file that is missing, empty or no certificate is named`() async throws {
        try await withTemporaryFolder { folder in
            for path in [
                folder.path("missing"), try folder.write("empty", ""), try folder.write("text", "no certificate"),
            ] {
                let error = try #require(throws: SinkError.self) {
                    _ = try HTTPUpstream(.sample { $0.caFile = path }, userAgent: "gloss/1.0")
                }
                #expect(error.description.contains(path))
                #expect(error.hint != nil)
            }
        }
    }
}
