import Foundation
import Model
import Testing

@testable import Forward

@Suite(.timeLimit(.minutes(1))) struct TLSTests {
    private let batch = FrozenBatch(
        sink: "upstream", key: "0123456789abcdef0123456789abcdef", body: Array("{\"id\":1}\n".utf8),
        contentEncoding: nil,
        firstEventID: 1, lastEventID: 1, eventCount: 1)

    private func attempt(
        _ url: String, authority: String?, timeout: Duration = .seconds(30)
    ) async throws -> AttemptResult {
        let upstream = try HTTPUpstream(
            .sample(url: url) {
                $0.caFile = authority
                $0.timeout = timeout
            }, userAgent: "gloss/1.0")
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

    @Test func `a CA file that is replaced is read again`() async throws {
        try await withTemporaryFolder { folder in
            let certificates = try Certificates(in: folder)
            let server = try await LoopbackServer.start(.status(200), tls: certificates.server)
            try await withTemporaryFolder { other in
                let file = try Certificates(in: other).authority
                let options = SinkOptions.sample(url: server.url) {
                    ($0.caFile, $0.backoffBase, $0.backoffCap) = (file, .milliseconds(10), .milliseconds(20))
                }
                let store = MemoryStore(sampleEvents(1...3))
                let run = SinkRun(options, store: store, record: store.record)
                try await run.run { reports in
                    #expect(await reports.next()?.kind == .retrying)
                    // At no time is the file missing or cut short, which would hold the sink.
                    try FileManager.default.copyItem(atPath: certificates.authority, toPath: file + ".new")
                    try #require(rename(file + ".new", file) == 0)
                    while let report = await reports.next(), report.kind != .delivered {}
                }
                #expect(store.record.position == 3)
            }
            await server.stop()
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

    @Test func `a server that does not speak TLS is reported in words`() async throws {
        let server = try await LoopbackServer.start(.status(200))
        let result = try await attempt("https://127.0.0.1:\(server.port)/", authority: nil)
        await server.stop()
        #expect(result.reason.contains("does not speak TLS"))
    }

    /// OpenSSL's own server, as NIO's would not offer them: with SECLEVEL=0 it still speaks the old versions.
    @Test(arguments: [("-tls1", false), ("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)])
    func `TLS 1.2 is the least that is spoken`(option: String, isSpoken: Bool) async throws {
        try await withTemporaryFolder { folder in
            let certificates = try Certificates(in: folder)
            let server = try OldServer(in: folder, option)
            defer { server.stop() }
            // The server answers nothing but GET.
            let timeout = Duration.seconds(isSpoken ? 3 : 30)
            let result = try await attempt(server.url, authority: certificates.authority, timeout: timeout)
            if isSpoken {
                #expect(result.reason.contains("no complete answer in time"), "\(result.reason)")
            } else {
                #expect(result.reason.contains("speaks no TLS of version 1.2 or later"), "\(result.reason)")
                #expect(Verdict(result) == .retry(atLeast: nil))
            }
        }
    }

    @Test func `a CA file that is missing, empty or no certificate is named`() async throws {
        try await withTemporaryFolder { folder in
            for (path, reason) in [
                (folder.path("missing"), "No such file or directory"),
                (try folder.write("empty", ""), "no certificate"),
                (try folder.write("text", "no certificate"), "no certificate"),
            ] {
                let error = try #require(throws: SinkError.self) {
                    _ = try HTTPUpstream(.sample { $0.caFile = path }, userAgent: "gloss/1.0")
                }
                #expect(error.description.contains(path))
                #expect(error.description.contains(reason), "\(error)")
                #expect(error.hint != nil)
            }
        }
    }
}

/// `openssl s_server` with the certificate that `Certificates` left in the folder.
private struct OldServer {
    private let process = Process()
    let url: String

    init(in folder: TemporaryFolder, _ option: String) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", folder.path("server.pem"), "-key", folder.path("server.key"),
            option, "-cipher", "DEFAULT@SECLEVEL=0", "-www",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // "ACCEPT 127.0.0.1:40123"
        var text = ""
        while !text.hasSuffix("\n") || !text.contains("ACCEPT") {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else { break }
            text += String(decoding: byte, as: UTF8.self)
        }
        let match = try #require(text.firstMatch(of: /ACCEPT [^ \n]*:([0-9]+)/), "\(text)")
        url = "https://127.0.0.1:\(match.1)/"
    }

    func stop() {
        // It may have SIGTERM blocked, as the process has that runs the tests.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
