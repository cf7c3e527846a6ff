import Model
import Testing

@testable import Forward

@Suite struct SinkEndpointTests {
    @Test(arguments: [
        ("http://localhost/ingest", "localhost", 80),
        ("https://logs.example.com", "logs.example.com", 443),
        ("HTTPS://logs.example.com:8443/a?b=c", "logs.example.com", 8443),
        ("http://[::1]:9000/", "::1", 9000),
    ])
    func `http and https addresses are taken`(url: String, host: String, port: Int) throws {
        let endpoint = try SinkEndpoint(.sample(url: url))
        #expect(endpoint.host.trimmingBrackets == host)
        #expect(endpoint.port == port)
    }

    @Test(arguments: [
        ("", "http://"), ("logs.example.com/ingest", "http://"), ("ftp://example.com", "http://"),
        ("unix:///run/x.sock", "http://"), ("http+unix://%2Frun%2Fx", "http://"), ("http://", "no host"),
        ("http:///ingest", "no host"), ("http://exa mple.com/", "not a URL"),
        ("http://me:secret@example.com/", "password"),
        ("http://me@example.com/", "user name"), ("http://example.com:0/", "port"),
        ("http://example.com:99999/", "port"),
    ])
    func `every other address is refused with what to write instead`(url: String, word: String) throws {
        let error = try #require(throws: SinkError.self) { try Sink.check(.sample(url: url)) }
        #expect(!error.description.contains("upstream"), "the caller names the sink")
        #expect(error.description.contains(word) || error.description.contains("not a URL"))
        #expect(error.hint != nil)
        #expect(!error.description.contains("secret"))
    }

    @Test(arguments: [
        "Content-Length", "content-encoding", "Idempotency-Key", "Host", "Transfer-Encoding",
    ])
    func `a header that would break the request is refused`(name: String) {
        #expect(throws: SinkError.self) { try Sink.check(.sample { $0.headers = [ExactString(name): "x"] }) }
    }

    @Test(arguments: [
        "http://logs.example.com/", "HTTP://logs.example.com/", "http://10.0.0.1/", "http://[::2]/",
        "http://[::ffff:127.0.0.1]/",
        "http://126.255.255.255/", "http://128.0.0.1/", "http://localhost.example.com/",
        "http://127.0.0.1.example.com/",
        "http://0.0.0.0/", "http://[::]/", "http://127.1/",
    ])
    func `a token does not go to another machine without TLS`(url: String) throws {
        #expect(throws: Never.self) { try Sink.check(.sample(url: url)) }
        let error = try #require(throws: SinkError.self) { try Sink.check(.sample(url: url) { $0.tokenFile = "/t" }) }
        #expect(error.advice.contains("https://"))
        #expect(throws: Never.self) {
            try Sink.check(
                .sample(url: url.replacing("http", with: "https", maxReplacements: 1).replacing("HTTP", with: "https"))
                { $0.tokenFile = "/t" })
        }
    }

    @Test(arguments: [
        "http://localhost:1/", "http://LOCALHOST/", "http://127.0.0.1/", "http://127.255.255.254/", "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
    ])
    func `a token goes to this machine without TLS`(url: String) {
        #expect(throws: Never.self) { try Sink.check(.sample(url: url) { $0.tokenFile = "/t" }) }
    }

    @Test func `the address for people has no query`() {
        #expect(SinkEndpoint.display("https://example.com/in?key=secret#x") == "https://example.com/in")
    }
}

extension String {
    fileprivate var trimmingBrackets: String { filter { $0 != "[" && $0 != "]" } }
}
