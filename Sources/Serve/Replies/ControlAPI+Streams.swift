import API
import Hummingbird
import Queries
import ServiceLifecycle

extension ControlAPI {
    /// Makes a response with the lines that `write` sends until the client disconnects or the daemon stops. Closing the
    /// sending side counts as disconnecting. An error that `write` throws is the last line.
    /// - Parameter place: it is free again after the response, also if that was never written.
    func stream(
        _ request: Request, _ context: ControlContext, holding place: Budget.Share,
        _ write: @escaping @Sendable (inout LineStream) async throws -> Void
    ) -> Response {
        Response(
            stream: ResponseBody { writer in
                _ = place
                let stream = LineStream(writer, channel: context.channel, chunkBytes: limits.pages.lineBytes)
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    var stream = stream
                    do {
                        try await write(&stream)
                    } catch  where Task.isCancelled || error is CancellationError {
                        // If the daemon stops, the stream ends regularly. If the client has disconnected, nothing needs
                        // to be sent.
                    } catch {
                        try stream.lines.append(Problem(error))
                    }
                    try await stream.finish()
                }
            }, watchesClient: true)
    }
}

extension Task<Never, Never> {
    /// Whether a stream has to end: its client has disconnected, or the daemon stops.
    static var isStopping: Bool { isCancelled || isShuttingDownGracefully }
}
