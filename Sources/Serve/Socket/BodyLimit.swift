import API
import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// Reads a request's body before it is answered, which no request has a use for, and refuses one that is too large.
///
/// Hummingbird's own limit is for decoding only: it reads the rest of a body after the response, however long it is. So
/// the connection is closed behind the refusal.
struct BodyLimit: RouterMiddleware {
    var bytes: Int
    /// How long the body may take.
    var time: Duration
    /// Those that are there. For another path or method, who waits to be asked for the body is not asked.
    var endpoints: [Endpoint] = []

    /// The connection ended in the middle of a request: there is nobody to answer.
    struct ConnectionLost: Error {
        var cause: any Error
    }

    func handle(
        _ request: Request, context: ControlContext, next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        if let announced = request.headers[.contentLength].flatMap({ UInt64($0) }), announced > bytes {
            return refusal
        }
        if !isThere(request), request.headers[.expect]?.lowercased() == "100-continue" {
            return try await refused(request, context, next)
        }
        var request = request
        let deadline = context.channel?.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel = context.channel] in
            channel?.close(promise: nil)
        }
        do {
            defer { deadline?.cancel() }
            // Not before: a client that waits to be asked for the body has been refused without it by now.
            context.channel?.triggerUserOutboundEvent(HTTPConformance.BodyIsWanted(), promise: nil)
            // Collected into the request, not iterated: a tail waits for its client to leave by reading on from here,
            // and traps when the end of the body went elsewhere.
            _ = try await request.collectBody(upTo: bytes)
        } catch is NIOTooManyBytesError {
            return refusal
        } catch {
            throw ConnectionLost(cause: error)
        }
        return try await next(request, context)
    }

    private func isThere(_ request: Request) -> Bool {
        endpoints.contains { endpoint in
            endpoint.takes(request.uri.path)
                && (endpoint.method == request.method || endpoint.method == .get && request.method == .head)
        }
    }

    /// The body may come or not: what stands behind the request cannot be told.
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

/// Closes a connection whose client does not read: when what is buffered for it has been above the high watermark for
/// longer than `time`.
///
/// Hummingbird's idle time-out is off while a response is written.
final class WriteDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let time: TimeAmount
    private var closing: Scheduled<Void>?

    init(time: Duration) {
        self.time = TimeAmount(time)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        closing?.cancel()
        closing = nil
        if !context.channel.isWritable {
            closing = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        closing?.cancel()
    }
}
