import API
import Model
import NIOCore
import NIOHTTP1

/// The requirements of HTTP/1.1 that NIO and Hummingbird do not check. This handler comes directly after the parser of
/// NIO, since later handlers do not know the version of HTTP and see only the first `Host`.
///
/// A request that it refuses becomes an error of the parser. Hummingbird answers such an error with an empty 400 after
/// the previous requests; this handler replaces that with a problem document.
/// - Source: RFC 9112; RFC 9110, sections 9.3.2 and 10.1.1
final class HTTPConformance: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Sends 100 Continue for the current request, if its client waits for it.
    struct BodyIsWanted: Sendable {}

    /// The properties of a request that its response depends on.
    private struct Exchange {
        var version: HTTPVersion
        var isHead: Bool
        var closes: Bool
        var expectsContinue: Bool

        init(_ head: HTTPRequestHead) {
            let isOld = head.version.minor == 0
            version = head.version
            isHead = head.method == .HEAD
            // After what may be another protocol, the parser of NIO stops.
            closes = isOld || !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
            let hasBody =
                head.headers["content-length"].contains { $0 != "0" }
                || head.headers.contains(name: "transfer-encoding")
            expectsContinue = !isOld && hasBody && head.headers["expect"].contains { $0.lowercased() == "100-continue" }
        }
    }

    /// The requests whose responses are not complete.
    private var exchanges: CircularBuffer<Exchange> = []
    /// The reason why nothing more is read.
    private var refusal: Problem?
    private var refusesHead = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard refusal == nil else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if let reason = Self.refusal(of: head) {
            refusal = reason
            refusesHead = head.method == .HEAD
            return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        let exchange = Exchange(head)
        exchanges.append(exchange)
        // Hummingbird has no other interface for this.
        if exchange.closes { head.headers.replaceOrAdd(name: "connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if refusal == nil, let error = error as? HTTPParserError { refusal = Problem(parser: error) }
        context.fireErrorCaught(error)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if exchanges.first?.expectsContinue == true {
            exchanges[exchanges.startIndex].expectsContinue = false
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): write(head, context, promise)
        case .body where exchanges.first?.isHead == true: promise?.succeed()
        case .body: context.write(data, promise: promise)
        case .end: writeEnd(data, context, promise)
        }
    }

    private func write(_ head: HTTPResponseHead, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        var head = head
        // This is the reply of Hummingbird to an error of the parser; every other 400 has a body.
        if let refusal, head.status == .badRequest, head.headers.first(name: "content-length") == "0" {
            return write(refusal, context, promise)
        }
        if let exchange = exchanges.first {
            // The encoder makes chunks for HTTP/1.1 only.
            head.version = exchange.version
            if head.headers[canonicalForm: "connection"].contains("close") {
                exchanges[exchanges.startIndex].closes = true
            } else if exchange.closes {
                head.headers.replaceOrAdd(name: "connection", value: "close")
            }
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private func write(_ problem: Problem, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        // No request is left that this could answer, or only the one with the invalid body.
        let isHead = refusesHead || exchanges.first?.isHead == true
        exchanges.removeAll()
        let body = ByteBuffer(bytes: problem.encoded)
        let headers: HTTPHeaders = [
            "content-type": Problem.mediaType, "content-length": "\(body.readableBytes)", "connection": "close",
        ]
        let status = HTTPResponseStatus(statusCode: problem.status)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))),
            promise: promise)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    }

    private func writeEnd(_ end: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let exchange = exchanges.popFirst()
        // The end of the chunks would be a body. An empty buffer fulfils the promise and sends nothing.
        let part = exchange?.isHead == true ? wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))) : end
        guard exchange?.closes ?? true else { return context.write(part, promise: promise) }
        let isWritten = promise ?? context.eventLoop.makePromise()
        let channel = context.channel
        isWritten.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(part, promise: isWritten)
    }

    /// - Source: RFC 9112, section 3.2
    private static func refusal(of head: HTTPRequestHead) -> Problem? {
        let hosts = head.headers["host"]
        let isRight = hosts.count == 1 || hosts.isEmpty && head.version.minor == 0
        guard isRight, hosts.allSatisfy({ $0.utf8.allSatisfy(isOfHost) }) else {
            let found = hosts.isEmpty ? "none" : hosts.count == 1 ? "no host" : "\(hosts.count)"
            return Problem(
                status: 400, title: "Bad request",
                detail: "A request of HTTP/1.1 has one Host header; this one has \(found). Any value is accepted.")
        }
        return nil
    }

    /// - Source: RFC 3986, section 3.2
    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isNameByte || ".~%!$&'()*+,;=:[]".utf8.contains(byte)
    }
}

extension Problem {
    /// Makes the problem for an error of the parser.
    fileprivate init(parser error: HTTPParserError) {
        switch error {
        case .headerOverflow:
            self.init(
                status: 431, title: "Request head too large",
                detail: """
                    A header, or a path with its query, may have 64 KiB; all of them together may have 80 KiB, and \
                    there may be 1,000 headers.
                    """)
        case .invalidMethod:
            self.init(status: 501, title: "Unknown method", detail: "The request does not begin with a method of HTTP.")
        case .invalidVersion:
            self.init(status: 505, title: "Unknown version", detail: "Only HTTP/1.1 and HTTP/1.0 are supported.")
        // The preface of HTTP/2 begins with "PRI * HTTP/2.0".
        case .paused:
            self.init(
                status: 505, title: "Unknown version",
                detail: "HTTP/2 is not supported; HTTP/1.1 and HTTP/1.0 are.")
        default: self.init(status: 400, title: "Bad request", detail: Self.detail(error))
        }
    }

    private static func detail(_ error: HTTPParserError) -> String {
        switch error {
        case .invalidContentLength, .unexpectedContentLength:
            "Content-Length is one number below 2^64; it and Transfer-Encoding exclude each other."
        case .invalidHeaderToken:
            "A header has an invalid character, or no colon."
        case .invalidURL:
            "The path has an invalid character."
        case .invalidConstant:
            "A request begins with a method, a path and HTTP/1.1."
        case .invalidChunkSize:
            "A chunk has no size: a hexadecimal number below 2^64."
        case .closedConnection:
            "There are bytes after the last request of the connection."
        case .invalidEOFState:
            "The request ends too early."
        case .lfExpected, .strictModeAssertion:
            "A line does not end with CR and LF."
        // The error of the parser for Transfer-Encoding, which has no name in NIO.
        case .unknown:
            "This transfer encoding is not supported. Use chunked, without Content-Length."
        default:
            "This is not HTTP/1.1."
        }
    }
}
