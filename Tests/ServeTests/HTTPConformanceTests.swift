import TestSupport
import API
import Foundation
import Model
import Store
import Testing

@testable import Serve

/// What RFC 9110 and RFC 9112 ask of a server, as its clients see it.
@Suite(.timeLimit(.minutes(2))) struct HTTPConformanceTests {
    /// Everything that comes back for `request`, whose lines end with CR and LF, until the server closes.
    private func reply(to request: String) async throws -> RawReply {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            let client = try await server.connect()
            try await client.send(request.replacing("\n", with: "\r\n"))
            return try await client.reply()
        }
    }

    private func expectProblem(_ reply: RawReply, _ status: Int, _ request: String) throws {
        #expect(reply.status == status, "\(request)")
        #expect(reply.headers["content-type"] == "application/problem+json", "\(request)")
        #expect(reply.headers["connection"] == "close", "\(request)")
        let object = try reply.object()
        #expect(object["status"] as? Int == status)
        #expect((object["detail"] as? String)?.isEmpty == false)
    }

    @Test(arguments: ["/v1/status", "/v1/events", "/v1/gaps", "/v1/events/2", "/openapi.json", "/v1/nothing"])
    func `HEAD is answered as GET, without the body`(path: String) async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            let (get, head) = (try await server.get(path), try await server.request("HEAD", path))
            #expect(head.status == get.status)
            #expect(head.headers == get.headers)
            #expect(!get.body.isEmpty)
            #expect(head.body.isEmpty)
        }
    }

    @Test func `HEAD of a tail ends at once, and its connection stays open`() async throws {
        try await withServer { server in
            let client = try await server.connect()
            try await client.send("HEAD /v1/events?follow=true HTTP/1.1\r\nHost: gloss\r\n\r\n")
            try await client.send("GET /v1/gaps HTTP/1.1\r\nHost: gloss\r\nConnection: close\r\n\r\n")
            let text = String(decoding: try await client.receiveAll(), as: UTF8.self)
            let heads = text.components(separatedBy: "\r\n\r\n")
            #expect(heads.count == 3)
            #expect(heads.prefix(2).allSatisfy { $0.hasPrefix("HTTP/1.1 200 OK") })
            #expect(heads[2] == #"{"gaps":[]}"#)
            #expect(try await eventually { server.daemon.tails == [1, 0] })
        }
    }

    @Test func `HEAD of a page of many events reads as little as its head needs`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...2000, padding: 1000), journal: "machine")
            let reply = try await server.request("HEAD", "/v1/events?n=all")
            #expect(reply.status == 200)
            #expect(reply.body.isEmpty)
        }
    }

    @Test(arguments: [
        ("POST", "/v1/events", "GET, HEAD"), ("DELETE", "/v1/events/7", "GET, HEAD"),
        ("TRACE", "/v1/status", "GET, HEAD"),
        ("QUERY", "/v1/events", "GET, HEAD"), ("PROPFIND", "/openapi.json", "GET, HEAD"),
        ("OPTIONS", "/v1/gaps", "GET, HEAD"), ("MKCOL", "/v1/reload", "POST"), ("HEAD", "/v1/reload", "POST"),
        ("PUT", "/v1/dictionaries/shop/definitions/a/b", "GET, HEAD"), ("SEARCH", "/v1/reports/unseen", "GET, HEAD"),
    ])
    func `any other method of a path is answered with the right ones`(method: String, path: String, allowed: String)
        async throws
    {
        try await withServer { server in
            let reply = try await server.request(method, path)
            #expect(reply.status == 405)
            #expect(reply.headers["allow"] == allowed)
            #expect(reply.headers["content-type"] == "application/problem+json")
            #expect(reply.body.isEmpty == (method == "HEAD"))
            #expect(try await server.request(method, "/v1/nothing").status == 404)
        }
    }

    @Test(arguments: [
        ("GET /v1/gaps HTTP/1.1\n\n", 400), ("GET /v1/gaps HTTP/1.1\nHost: a\nHost: a\n\n", 400),
        ("GET /v1/gaps HTTP/1.1\nHost: a\nhOST: b\n\n", 400), ("GET /v1/gaps HTTP/1.1\nHost: a b\n\n", 400),
        ("GET /v1/gaps HTTP/1.0\nHost: a\nHost: b\n\n", 400), ("GET /v1/gaps HTTP/1.1\nHost: a/b\n\n", 400),
        ("GET /v1/gaps\n\n", 505), ("NONSENSE\n\n", 501), ("FOO /v1/gaps HTTP/1.1\nHost: a\n\n", 501),
        ("GET /v1/gaps HTTP/9.9\nHost: a\n\n", 505), ("GET /v1/gaps HTTP/1.1\nHost: a\nno colon\n\n", 400),
        ("GET /v1/gaps HTTP/1.1\nHost : a\n\n", 400), ("GET /v1/gaps HTTP/1.1\n: a\n\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: x\n\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: -1\n\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 1\nContent-Length: 2\n\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 1, 2\n\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 3\nTransfer-Encoding: chunked\n\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 18446744073709551616\n\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 18446744073709551615\n\n", 413),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 9223372036854775808\n\n", 413),
        ("POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 9223372036854775807\n\n", 413),
        ("POST /v1/reload HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\nzz\n", 400),
        ("POST /v1/reload HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\nfffffffffffffffff\n", 400),
    ])
    func `what is no request is answered at once with a problem and a close`(request: String, status: Int) async throws
    {
        try expectProblem(try await reply(to: request), status, request)
    }

    @Test(arguments: [(1, 70_000), (4000, 1), (90, 1000)])
    func `a head that is too large is answered with 431`(count: Int, length: Int) async throws {
        let headers = String(repeating: "X: \(String(repeating: "x", count: length))\n", count: count)
        let request = "GET /v1/gaps HTTP/1.1\nHost: a\n\(headers)\n"
        try expectProblem(try await reply(to: request), 431, "\(count) of \(length)")
    }

    @Test func `a path that is too long is answered with 431`() async throws {
        let path = String(repeating: "x", count: 70_000)
        try expectProblem(try await reply(to: "GET /v1/events?grep=\(path) HTTP/1.1\nHost: a\n\n"), 431, "long path")
    }

    @Test(arguments: ["", "Host: a\nTransfer-Encoding: chunked\n\nzz\n"])
    func `a wrong HEAD is answered without a body, too`(rest: String) async throws {
        let reply = try await reply(to: "HEAD /v1/gaps HTTP/1.1\n\(rest)\n")
        #expect(reply.status == 400)
        #expect(reply.body.isEmpty)
    }

    @Test func `the requests before a wrong one are answered first`() async throws {
        for wrong in ["NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"] {
            try await withServer { server in
                let client = try await server.connect()
                let right = "GET /v1/gaps HTTP/1.1\r\nHost: a\r\n\r\n"
                try await client.send(right + right + wrong + right)
                let text = String(decoding: try await client.receiveAll(), as: UTF8.self)
                let statuses = text.matches(of: /HTTP\/1.1 (\d+)/).map { String($0.1) }
                #expect(statuses == ["200", "200", wrong.hasPrefix("N") ? "501" : "400"])
            }
        }
    }

    @Test(arguments: ["", "Host: gloss\n", "Connection: keep-alive\n"])
    func `a client of HTTP 1.0 gets no chunks, and the connection ends with the body`(header: String) async throws {
        for path in ["/v1/events", "/v1/gaps"] {
            let reply = try await reply(to: "GET \(path) HTTP/1.0\n\(header)\n")
            #expect(reply.status == 200)
            #expect(reply.headers["transfer-encoding"] == nil)
            #expect(reply.headers["connection"] == "close")
            #expect(path == "/v1/gaps" ? reply.text == #"{"gaps":[]}"# : reply.lines.count == 3)
        }
    }

    @Test func `a tail of a client of HTTP 1.0 has no chunks either`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            let client = try await server.connect()
            try await client.send("GET /v1/events?follow=true HTTP/1.0\r\n\r\n")
            var bytes: [UInt8] = []
            while !bytes.contains(UInt8(ascii: "}")) { bytes += try await client.receive() }
            let reply = try RawReply(bytes)
            #expect(reply.headers["transfer-encoding"] == nil)
            #expect(reply.text.hasPrefix(#"{"type":"event""#))
        }
    }

    @Test(arguments: ["close", "Close", "keep-alive, close"])
    func `a connection that the client wants closed is closed, however it says so`(value: String) async throws {
        let reply = try await reply(to: "GET /v1/gaps HTTP/1.1\nHost: a\nConnection: \(value)\n\n")
        #expect(reply.status == 200)
        #expect(reply.headers["connection"] == "close")
    }

    @Test func `a connection on which another protocol was asked for is answered and closed`() async throws {
        let reply = try await reply(
            to: "GET /v1/gaps HTTP/1.1\nHost: a\nConnection: upgrade\nUpgrade: websocket\n\n")
        #expect(reply.status == 200)
        #expect(reply.headers["connection"] == "close")
    }

    @Test func `a client that waits to be asked for its body is asked`() async throws {
        try await withServer { server in
            let client = try await server.connect()
            try await client.send(
                "POST /v1/reload HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 3\r\n\r\n")
            let interim = String(decoding: try await client.receive(), as: UTF8.self)
            #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("abc")
            #expect(try await client.reply().status == 200)
        }
    }

    @Test func `a body that is too large is refused without being asked for`() async throws {
        let reply = try await reply(
            to: "POST /v1/reload HTTP/1.1\nHost: a\nExpect: 100-continue\nContent-Length: 100000\n\n")
        try expectProblem(reply, 413, "100000 bytes")
    }

    @Test(arguments: [
        ("POST /v1/nothing HTTP/1.1\nHost: a\nExpect: 100-continue\nContent-Length: 3\n\n", 404),
        ("POST /v1/gaps HTTP/1.1\nHost: a\nExpect: 100-Continue\nContent-Length: 3\n\n", 405),
    ])
    func `a body for a path or method that does not exist is not asked for`(request: String, status: Int) async throws {
        try expectProblem(try await reply(to: request), status, request)
    }

    @Test func `a request without a body is answered, whatever it expects`() async throws {
        for length in ["", "Content-Length: 0\n"] {
            let reply = try await reply(
                to: "GET /v1/gaps HTTP/1.1\nHost: a\nConnection: close\nExpect: 100-continue\n\(length)\n")
            #expect(reply.status == 200)
        }
    }

    @Test(arguments: [
        ("POST /v1/reload HTTP/1.1\nHost: a\nTransfer-Encoding: gzip\n\n", 400, "transfer encoding is not supported"),
        (
            "POST /v1/reload HTTP/1.1\nHost: a\nContent-Length: 3\nTransfer-Encoding: chunked\n\n", 400,
            "Content-Length"
        ),
        (
            "POST /v1/reload HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\nContent-Length: 3\n\n", 400,
            "exclude each other"
        ),
        ("PRI * HTTP/2.0\n\nSM\n\n", 505, "HTTP/2 is not supported"),
        ("GET /v1/gaps HTTP/1.1\nHost: a\nno colon\n\n", 400, "no colon"),
        ("POST /v1/reload HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\nzz\n", 400, "A chunk has no size"),
    ])
    func `what is wrong is reported in words`(request: String, status: Int, words: String) async throws {
        let reply = try await reply(to: request)
        try expectProblem(reply, status, request)
        #expect(reply.text.contains(words), "\(reply.text)")
        #expect(!reply.text.contains("parser"))
    }

    @Test func `a client of HTTP 1.0 is not asked for its body`() async throws {
        let reply = try await reply(
            to: "POST /v1/reload HTTP/1.0\nExpect: 100-continue\nContent-Length: 3\n\nabc")
        #expect(reply.status == 200)
    }
}
