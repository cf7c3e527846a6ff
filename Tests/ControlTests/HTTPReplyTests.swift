import Testing

@testable import Control

@Suite struct HTTPReplyTests {
    /// The body and the status, or what was wrong, with the bytes coming `step` at a time.
    private func read(_ text: String, step: Int) -> String {
        var reply = HTTPReply()
        var body: [UInt8] = []
        var rest = Array(text.replacing("\n", with: "\r\n").utf8)[...]
        while !rest.isEmpty {
            do throws(HTTPReply.Malformed) {
                try reply.feed(Array(rest.prefix(step))) { body += $0 }
            } catch {
                return error.description
            }
            rest = rest.dropFirst(step)
        }
        let end = reply.isComplete ? "" : " cut short"
        return "\(reply.status ?? 0) \(reply.reason): \(String(decoding: body, as: UTF8.self))\(end)"
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "200 OK: hello"),
        ("HTTP/1.1 200 OK\ncontent-length: 0\n\n", "200 OK: "),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n6;x=y\n world\n0\n\n", "200 OK: hello world"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: Chunked\n\nA\n0123456789\n0\nTrailer: x\n\n", "200 OK: 0123456789"),
        ("HTTP/1.1 404 Not Found\nContent-Length: 2\n\nno", "404 Not Found: no"),
        ("HTTP/1.1 200 OK\n\nuntil it closes", "it has no length"),
        ("HTTP/1.1 200 OK\nContent-Length: 9\n\nhello", "200 OK: hello cut short"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n", "200 OK: hello cut short"),
        ("HTTP/1.1 200 OK\nContent-Le", "200 OK:  cut short"),
        ("SSH-2.0-OpenSSH\n\n", "it is not HTTP"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nxyz\n", "a chunk has no size"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhello\n", "a chunk is longer than its size"),
        ("HTTP/1.1 200 OK\nContent-Length: -1\n\n", "its length is not a number"),
        ("HTTP/1.1 200 OK\nno colon here\n\n", "a header has no colon"),
        ("HTTP/1.1 200 OK\nContent-Length: 1\n\nab", "there is more behind the reply"),
    ])
    func `a reply reads the same however its bytes come`(text: String, expected: String) {
        for step in [1, 2, 7, 1000] { #expect(read(text, step: step) == expected) }
    }

    @Test func `an endless head is refused`() {
        #expect(
            read("HTTP/1.1 200 OK\nX: " + String(repeating: "x", count: 100_000), step: 1000) == "its head is too long")
    }
}
