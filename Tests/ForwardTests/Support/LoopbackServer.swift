import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP server on loopback whose answers a test chooses, well-behaved or not.
final class LoopbackServer: Sendable {
    enum Reply: Sendable {
        case status(Int, headers: [(String, String)] = [], body: String = "")
        /// Closes the connection without a reply, as a server that dies after it has committed.
        case close
        case silence
        /// The head of a reply, and no body although one is announced.
        case headOnly
        /// A part of the announced body, then the connection closes.
        case cutShort
        /// A body of 100 MB.
        case huge
    }

    struct Request: Sendable {
        var head: HTTPRequestHead
        var body: [UInt8]
        func header(_ name: String) -> String? { head.headers.first(name: name) }
    }

    fileprivate struct State {
        var replies: [Reply]
        var requests: [Request] = []
        var connections = 0
        var bytesWritten = 0
    }

    private let state: Mutex<State>
    private let tls: NIOSSLContext?
    private let listening = Mutex<(channel: (any Channel)?, port: Int)>((nil, 0))

    /// - Parameter replies: one after the other; the last one repeats.
    private init(_ replies: [Reply], tls: NIOSSLContext?) {
        state = Mutex(State(replies: replies))
        self.tls = tls
    }

    static func start(_ replies: Reply..., tls: NIOSSLContext? = nil) async throws -> LoopbackServer {
        let server = LoopbackServer(replies, tls: tls)
        let channel = try await server.bootstrap.bind(host: "127.0.0.1", port: 0).get()
        server.listening.withLock { $0 = (channel, channel.localAddress?.port ?? 0) }
        return server
    }

    /// On a socket that has its port already.
    static func start(_ replies: Reply..., on socket: ReservedPort) async throws -> LoopbackServer {
        let server = LoopbackServer(replies, tls: nil)
        let channel = try await server.bootstrap.withBoundSocket(socket.descriptor).get()
        server.listening.withLock { $0 = (channel, channel.localAddress?.port ?? 0) }
        return server
    }

    func stop() async {
        try? await listening.withLock { $0.channel }?.close()
    }

    var port: Int { listening.withLock { $0.port } }
    var url: String { "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)/ingest" }
    var requests: [Request] { state.withLock { $0.requests } }
    /// How many were made.
    var connections: Int { state.withLock { $0.connections } }
    /// Of bodies, to all clients.
    var bytesWritten: Int { state.withLock { $0.bytesWritten } }

    private var bootstrap: ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [tls] channel in
                self.state.withLock { $0.connections += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(Handler(server: self))
                }
            }
    }

    fileprivate func take(_ request: Request) -> Reply {
        state.withLock { state in
            state.requests.append(request)
            return state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0]
        }
    }

    fileprivate func wrote(_ count: Int) {
        state.withLock { $0.bytesWritten += count }
    }
}

private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: LoopbackServer
    private var request: LoopbackServer.Request?

    init(server: LoopbackServer) {
        self.server = server
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = LoopbackServer.Request(head: head, body: [])
        case .body(let part): request?.body += part.readableBytesView
        case .end:
            guard let request else { return }
            reply(server.take(request), context)
        }
    }

    private func reply(_ reply: LoopbackServer.Reply, _ context: ChannelHandlerContext) {
        switch reply {
        case .status(let status, let headers, let body):
            var fields = HTTPHeaders(headers)
            fields.add(name: "Content-Length", value: "\(body.utf8.count)")
            write(head: status, fields, context)
            if !body.isEmpty {
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .close:
            context.close(promise: nil)
        case .silence:
            break
        case .headOnly:
            write(head: 200, ["Content-Length": "10"], context)
            context.flush()
        case .cutShort:
            write(head: 200, ["Content-Length": "10"], context)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "12345")))), promise: nil)
            context.close(promise: nil)
        case .huge:
            write(head: 200, ["Content-Length": "100000000"], context)
            writeMore(100_000_000, context)
        }
    }

    private func write(head status: Int, _ headers: HTTPHeaders, _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    /// Piece by piece, each when the one before is with the kernel, until the client leaves.
    private func writeMore(_ left: Int, _ context: ChannelHandlerContext) {
        guard left > 0 else { return }
        let count = min(left, 50_000)
        let part = wrapOutboundOut(.body(.byteBuffer(ByteBuffer(repeating: 0x78, count: count))))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(part).whenSuccess {
            let (handler, context) = bound.value
            handler.server.wrote(count)
            handler.writeMore(left - count, context)
        }
    }
}
