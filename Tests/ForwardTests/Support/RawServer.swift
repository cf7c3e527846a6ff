import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A TCP server on loopback that sends whatever bytes a test chooses.
final class RawServer: Sendable {
    enum Step: Sendable {
        case send([UInt8])
        case pause(TimeAmount)
        /// The same bytes again and again, until the client leaves.
        case endlessly([UInt8], every: TimeAmount)
        /// No more bytes will come, but the client may go on sending.
        case halfClose
        case close
        /// With RST instead of FIN.
        case reset

        static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    /// What the server waits for before it takes the steps.
    enum Moment: Sendable {
        case connection
        /// The first bytes of a request. No more are read.
        case firstBytes
        /// The whole request.
        case request
    }

    private let moment: Moment
    private let steps: @Sendable (Int) -> [Step]
    private let tls: NIOSSLContext?
    private let taken = Mutex(0)
    private let listening = Mutex<(any Channel)?>(nil)
    /// The connection that was made last, and whether its client has left.
    private let connection = Mutex<(channel: (any Channel)?, isLeft: Bool)>((nil, false))

    /// - Parameter steps: for each time that the moment comes, from 0.
    private init(after moment: Moment, tls: NIOSSLContext?, _ steps: @escaping @Sendable (Int) -> [Step]) {
        self.moment = moment
        self.steps = steps
        self.tls = tls
    }

    static func with<Result>(
        after moment: Moment = .request, tls: NIOSSLContext? = nil, _ steps: @escaping @Sendable (Int) -> [Step],
        _ body: (RawServer) async throws -> Result
    ) async throws -> Result {
        let server = RawServer(after: moment, tls: tls, steps)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // So that a large request does not fit into what the kernel takes.
            .serverChannelOption(.socketOption(.so_rcvbuf), value: 16 * 1024)
            .childChannelInitializer { channel in
                server.connection.withLock { $0 = (channel, false) }
                return channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(RawHandler(server: server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        server.listening.withLock { $0 = channel }
        do {
            let result = try await body(server)
            try await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    var url: String {
        let port = listening.withLock { $0?.localAddress?.port ?? 0 }
        return "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)/ingest"
    }

    /// Sends bytes that belong to no request on the connection that was made last, and waits until the client has left.
    func interject(_ text: String) async throws {
        try await connection.withLock { $0.channel }?.writeAndFlush(ByteBuffer(string: text))
        while !connection.withLock({ $0.isLeft }) { try await Task.sleep(for: .milliseconds(2)) }
    }

    fileprivate func left(_ channel: any Channel) {
        connection.withLock { if $0.channel === channel { $0.isLeft = true } }
    }

    fileprivate var awaits: Moment { moment }

    fileprivate func next() -> [Step] {
        steps(
            taken.withLock {
                $0 += 1
                return $0 - 1
            })
    }
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: RawServer
    private var received: [UInt8] = []

    init(server: RawServer) {
        self.server = server
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard server.awaits == .connection else { return }
        stopReading(context)
        run(server.next()[...], context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        switch server.awaits {
        case .connection: break
        case .firstBytes:
            stopReading(context)
            run(server.next()[...], context)
        case .request:
            while let length = requestLength, received.count >= length {
                received.removeFirst(length)
                run(server.next()[...], context)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { server.left(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        server.left(context.channel)
        context.fireChannelInactive()
    }

    /// With its body; `nil` until its head is there.
    private var requestLength: Int? {
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
        return end.upperBound + length
    }

    private func stopReading(_ context: ChannelHandlerContext) {
        context.channel.setOption(.autoRead, value: false).assumeIsolated().whenComplete { _ in }
    }

    private func run(_ steps: ArraySlice<RawServer.Step>, _ context: ChannelHandlerContext) {
        guard let step = steps.first else { return }
        let rest = steps.dropFirst()
        switch step {
        case .send(let bytes):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenSuccess {
                self.run(rest, context)
            }
        case .pause(let time):
            context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.run(rest, context) }
        case .endlessly(let bytes, let gap):
            run([.send(bytes), .pause(gap), step], context)
        case .halfClose:
            context.close(mode: .output).assumeIsolated().whenComplete { _ in self.run(rest, context) }
        case .close:
            context.close(promise: nil)
        case .reset:
            guard let socket = context.channel as? any SocketOptionProvider else { return }
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
                context.close(promise: nil)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
