import API
import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// Reads the body of a request, which few endpoints use, and refuses one that is too large.
///
/// The limit of Hummingbird is for decoding only: it would read the rest of a body after the response, however long it
/// is. Therefore the connection is closed after a refusal.
struct BodyLimit: RouterMiddleware {
    var bytes: Int
    /// How long the body may take.
    var time: Duration
    /// The endpoints. A client that waits for 100 Continue does not get it for another path or method. It gets it for those
    /// that use no body: Hummingbird takes a connection for idle until the request has been read, and would close it during
    /// a long reply.
    var endpoints: [Endpoint] = []

    /// The connection ended in the middle of a request, so that there is no client to answer.
    struct ConnectionLost: Error {
        var cause: any Error
    }

    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        if let announced = request.headers[.contentLength].flatMap({ UInt64($0) }), announced > bytes {
            return refusal
        }
        if request.headers[.expect]?.lowercased() == "100-continue",
            !endpoints.methods(of: request.uri.path).contains(request.method)
        {
            return try await refused(request, context, next)
        }
        var request = request
        let deadline = context.channel?.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel = context.channel] in
            channel?.close(promise: nil)
        }
        do {
            defer { deadline?.cancel() }
            // Not earlier: a client that waits for 100 Continue has already been refused without sending the body.
            context.channel?.triggerUserOutboundEvent(HTTPConformance.BodyIsWanted(), promise: nil)
            // Collected into the request, not iterated: a tail notices that its client disconnects by continuing to
            // read here, and traps if the end of the body was read elsewhere.
            _ = try await request.collectBody(upTo: bytes)
        } catch is NIOTooManyBytesError {
            return refusal
        } catch {
            throw ConnectionLost(cause: error)
        }
        return try await next(request, context)
    }

    /// The body may follow or not, so that the bytes after the request have no clear meaning.
    private func refused(
        _ request: Request, _ context: ControlContext, _ next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            response = Response(Problem(error))
        }
        response.headers[.connection] = "close"
        return response
    }

    private var refusal: Response {
        Response(
            Problem(status: 413, title: "Body too large", detail: "A request's body has at most \(bytes) bytes."),
            headers: [.connection: "close"])
    }
}

/// Closes a connection whose client does not read: its buffer has been above the high watermark, and the kernel has taken
/// nothing of it, for longer than `time`. It may be there for that time, and once more for each 512 KiB that were in it, even if
/// the client reads: others may wait for the memory of a large reply.
///
/// Hummingbird's idle time-out is off while a response is written.
final class WriteDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let time: TimeAmount
    private static let bytesInTime = 512 << 10
    /// The next look at the buffer.
    private var look: Scheduled<Void>?

    init(time: Duration) {
        self.time = TimeAmount(time)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        look?.cancel()
        look = nil
        if !context.channel.isWritable {
            let most = time * (1 + bufferedBytes(context) / Self.bytesInTime)
            wait(context, until: .now() + time, atMostUntil: .now() + most)
        }
        context.fireChannelWritabilityChanged()
    }

    /// The buffer may be a megabyte, which a slow client takes in many parts: the channel does not say when one is taken.
    private func wait(_ context: ChannelHandlerContext, until deadline: NIODeadline, atMostUntil end: NIODeadline) {
        let last = bufferedBytes(context)
        look = context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(time.nanoseconds / 8)) { [self] in
            let deadline = bufferedBytes(context) < last ? .now() + time : deadline
            if .now() < min(deadline, end) {
                wait(context, until: deadline, atMostUntil: end)
            } else {
                context.close(promise: nil)
            }
        }
    }

    private func bufferedBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func channelInactive(context: ChannelHandlerContext) {
        look?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        look?.cancel()
    }
}
