import Model
import NIOCore
import NIOHTTP1

/// The reason why an answer is refused although its bytes can be parsed as HTTP.
enum AnswerFault: Error, Equatable, CustomStringConvertible {
    /// A status below 100.
    case status(UInt)
    /// Status 101, although no other protocol was requested.
    case switchedProtocols
    /// Status 204 with a header that announces a body.
    case bodyWithoutContent
    /// Status 2xx before the whole request was sent.
    case early
    /// Bytes after the answer, or without a request.
    case unaskedBytes
    /// More bytes of heads, trailers and extensions of chunks than any answer needs.
    case tooLong

    var description: String {
        switch self {
        case .status(let code): "it has the status \(code)"
        case .switchedProtocols: "it switches to another protocol (status 101)"
        case .bodyWithoutContent: "it announces a body with the status 204 (No Content)"
        case .early: "it came before the request was sent"
        case .unaskedBytes: "there are bytes that do not belong to it"
        case .tooLong: "its headers have more than 64 KiB"
        }
    }
}

/// Protects AsyncHTTPClient from answers that crash it, and the sink from answers that must not count.
///
/// AsyncHTTPClient 1.37 ignores every head with a status below 200, and NIO's decoder lets statuses below 100 end the
/// message like any other. The end then reaches a state machine that has seen no head, whose `preconditionFailure` ends
/// the process. docs/upstream/async-http-client-status-below-100.md is the report to its authors; a test reproduces the
/// crash.
///
/// There are two handlers around the decoder, since bytes after the answer are visible only before decoding: `Bytes`
/// before it, `Parts` after it. Both run on the channel's event loop.
final class AnswerGuard {
    /// The most bytes that are neither body nor what its chunks need, from the request to the end of its answer.
    private static let maximumOverhead = 64 * 1024
    /// What a chunk may have besides its bytes: a size of 16 digits, as some servers fill them up with zeros, and two line
    /// breaks. It has at least a byte of the body, of which no more than `HTTPUpstream.maximumReplyBytes` are read.
    private static let chunkFraming = 20

    private enum State {
        case idle
        /// A request was started, and its answer is not complete.
        /// - Parameter isSent: whether the kernel has the whole request.
        case asked(isSent: Bool)
        /// An answer was refused: nothing passes any more, and the connection closes.
        case broken
    }

    private var state = State.idle
    private var overhead = 0
    private var isChunked = false
    /// Whether there are more bytes after those that the decoder is receiving.
    private var hasMore = false

    private init() {}

    /// - Precondition: It is called on the channel's event loop, with the client's own handlers in the pipeline.
    static func install(in channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        let guarding = AnswerGuard()
        try pipeline.addHandler(Bytes(guarding), position: .before(decoder))
        try pipeline.addHandler(Parts(guarding), position: .after(decoder))
    }

    private func fail(_ fault: AnswerFault, _ context: ChannelHandlerContext) {
        state = .broken
        context.fireErrorCaught(fault)
        context.close(promise: nil)
    }

    private final class Bytes: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer

        private let shared: AnswerGuard

        init(_ shared: AnswerGuard) {
            self.shared = shared
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            switch shared.state {
            case .broken: return
            case .idle: return shared.fail(.unaskedBytes, context)
            case .asked: break
            }
            shared.overhead += bytes.readableBytes
            // The last byte is passed on separately: if the answer ends before it, there are bytes after the answer.
            if bytes.readableBytes > 1, let most = bytes.readSlice(length: bytes.readableBytes - 1) {
                shared.hasMore = true
                context.fireChannelRead(wrapInboundOut(most))
                shared.hasMore = false
            }
            if case .broken = shared.state { return }
            context.fireChannelRead(wrapInboundOut(bytes))
            if case .asked = shared.state, shared.overhead > AnswerGuard.maximumOverhead {
                shared.fail(.tooLong, context)
            }
        }
    }

    private final class Parts: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        private let shared: AnswerGuard

        init(_ shared: AnswerGuard) {
            self.shared = shared
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            var promise = promise
            switch unwrapOutboundIn(data) {
            case .head:
                shared.state = .asked(isSent: false)
                shared.overhead = 0
            case .body:
                break
            case .end:
                let sent = promise ?? context.eventLoop.makePromise()
                sent.futureResult.assumeIsolated().whenSuccess { [shared] in
                    if case .asked = shared.state { shared.state = .asked(isSent: true) }
                }
                promise = sent
            }
            context.write(data, promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .asked(let isSent) = shared.state else { return }
            switch unwrapInboundIn(data) {
            case .head(let head):
                if let fault = Self.fault(head, isSent: isSent) { return shared.fail(fault, context) }
                shared.isChunked = head.headers.contains(name: "Transfer-Encoding")
            case .body(let part):
                shared.overhead -= part.readableBytes + (shared.isChunked ? AnswerGuard.chunkFraming : 0)
            case .end:
                if shared.hasMore { return shared.fail(.unaskedBytes, context) }
                // Here, all bytes of the answer and all of its body have been counted.
                if shared.overhead > AnswerGuard.maximumOverhead { return shared.fail(.tooLong, context) }
                shared.state = .idle
            }
            context.fireChannelRead(data)
        }

        private static func fault(_ head: HTTPResponseHead, isSent: Bool) -> AnswerFault? {
            switch head.status.code {
            case ..<100: .status(head.status.code)
            case 101: .switchedProtocols
            case 204 where announcesBody(head.headers): .bodyWithoutContent
            case 200...299 where !isSent: .early
            default: nil
            }
        }

        /// - Source: RFC 9110, 8.6; a length of 0 is not allowed either, but common.
        private static func announcesBody(_ headers: HTTPHeaders) -> Bool {
            headers.contains(name: "Transfer-Encoding") || headers["Content-Length"].contains { $0 != "0" }
        }
    }
}
